"""Seeded mistakes for the MoeInitRoutingV3 kernel: of the range, of row indices and counts, and of
rows as int8.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tests.kernels import mutants_moe_token_permute
from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_token_permute import BYTES, MOVED

FOLDER = "moe_init_routing_v3/moe_init_routing_v3"
DROPLESS = ("dropless", "dropless_static", "dropless_dynamic")
ACTIVE = ("active", "active_static", "active_dynamic")
PADDED = ("drop_pad", "drop_pad_static", "drop_pad_dynamic")
BY_RANK = (*DROPLESS, *ACTIVE)
STATIC = ("dropless_static", "active_static", "drop_pad_static")
DYNAMIC = ("dropless_dynamic", "active_dynamic", "drop_pad_dynamic")
COPIED = ("dropless", "active", "drop_pad")
Slots = partial(Mutant, file=f"{FOLDER}_kernel_slots.h", modes=BY_RANK, dtypes=MOVED)
Rows = partial(Mutant, file="shared/routing/routed_rows_kernel.h", modes=PADDED, dtypes=MOVED)
Entry = partial(Mutant, file="moe_init_routing_v3/aclnn_moe_init_routing_v3.cpp")
Quantised = partial(Mutant, file="shared/routing/row_quantise_kernel.h", modes=(*STATIC, *DYNAMIC))
Static = partial(Quantised, modes=STATIC)
Scaled = partial(Quantised, modes=DYNAMIC)

LARGEST = "LargestOf(token, expert) / LARGEST_INTEGER;"
LOADED = "LoadValues(token, expert, column, columns);\n"
ROUNDED = "AscendC::Cast(integers, values, RoundMode::CAST_RINT, columns);"
BARRIER = " AscendC::PipeBarrier<PIPE_V>(); "
OFFSET = "AscendC::Adds(values, values, offset_, count);"
FACTOR_ROW = "const int64_t row = factorRows_ > 1 ? expert : 0;"


def without_factors(loaded: str) -> str:
    return f"const int64_t kept = factorRows_; factorRows_ = 0; {loaded} factorRows_ = kept;\n"


SHARED = {
    "merge-takes-the-later-list-first-on-ties": {"modes": (), "dtypes": MOVED},
    "rest-of-the-last-list-lost": {"modes": (), "dtypes": MOVED},
    "int8-rows-cut-as-16-bits": {"modes": COPIED},
}
"""Mistakes in what MoeTokenPermute is compiled from, too."""

MUTANTS: tuple[Mutant, ...] = (
    *(
        replace(mutant, **SHARED[mutant.name])
        for mutant in mutants_moe_token_permute.MUTANTS
        if mutant.name in SHARED
    ),
    Slots(
        "end-of-the-range-is-in-it",
        before="(isActive ? place : experts_)",
        after="(isActive ? place : place == experts_ ? experts_ - 1 : experts_)",
    ),
    Slots(
        "range-starts-at-the-first-expert",
        before="part.GetValue(at) - firstExpert_;",
        after="part.GetValue(at);",
    ),
    Mutant(
        "slot-outside-the-range-keeps-its-rank",
        "shared/routing/slot_places_kernel.h",
        "if (index < 0 || index >= experts_) {",
        "if (index < 0) {",
        modes=BY_RANK,
    ),
    Entry(
        "row-index-types-change-places",
        before='call.Number("rowIdxType"),',
        after='1 - call.Number("rowIdxType"),',
        least_indices=2,
    ),
    Mutant(
        "slots-by-rank-end-where-rows-do",
        f"{FOLDER}_kernel.cpp",
        "const int64_t active = starts.Of(tiling->counted.experts);",
        "const int64_t active = Least(starts.Of(tiling->counted.experts), tiling->slots.endRank);",
        modes=ACTIVE,
        least_indices=2,
    ),
    Mutant(
        "active-num-counts-tokens",
        f"{FOLDER}_interface.h",
        'std::min(call.Number("activeNum"), slots);',
        'std::min(call.Number("activeNum") * call.Size("topK"), slots);',
        modes=ACTIVE,
        least_indices=2,
    ),
    Slots(
        "cumulative-sum-without-the-expert-itself",
        before="type_ == CUMULATIVE ? end : count",
        after="type_ == CUMULATIVE ? end - count : count",
    ),
    Slots(
        "pairs-of-experts-without-slots",
        before="} else if (count > 0) {",
        after="} else {",
    ),
    Slots(
        "pairs-number-experts-from-the-range-on",
        before="numbers.SetValue(filled++, firstExpert_ + expert);",
        after="numbers.SetValue(filled++, expert);",
    ),
    Slots(
        "counts-written-as-32-bits",
        before="(count * sizeof(int64_t))",
        after="(count * sizeof(int32_t))",
        modes=(),
    ),
    Slots(
        "pairs-behind-the-last-expert-left",
        before="if (written == elements_) {",
        after="if (written > 0) {",
    ),
    Rows(
        "rows-without-a-slot-left",
        before="            writer_.WriteZeros(row);\n",
        after="",
    ),
    Rows(
        "scales-of-rows-without-a-slot-left",
        before="if (hasScales_) {\n            AscendC::DataCopyPad(scales_[row]",
        after="if (hasScales_ && row < 0) {\n            AscendC::DataCopyPad(scales_[row]",
        modes=("drop_pad_dynamic",),
    ),
    Quantised(
        "rows-without-a-slot-hold-the-first-token",
        before="{ zeros_.Write(row); }",
        after="{ Write(row, 0, 0); }",
        modes=("drop_pad_static", "drop_pad_dynamic"),
    ),
    Rows(
        "capacity-keeps-the-last-slots",
        before="share_.end), rank - first, expert);",
        after="share_.end), rank - first + (capacity_ > 0 ? Most(slots - capacity_, 0) : 0),"
        " expert);",
        least_indices=2,
    ),
    Rows(
        "experts-of-the-second-tile-left",
        before="expert < end; expert += tileExperts_) {",
        after="expert < end; expert = end) {",
        modes=(),
    ),
    Mutant(
        "last-byte-of-an-odd-row-lost",
        f"{FOLDER}_kernel_rows.h",
        "static_cast<uint32_t>(count * sizeof(T));",
        "static_cast<uint32_t>(count * sizeof(T) - (count > 1 && sizeof(T) == 1 ? count % 2 : 0));",
        modes=COPIED,
        dtypes=BYTES,
        least_hidden=3,
    ),
    Mutant(
        "scale-of-the-row-in-place-of-the-token",
        f"{FOLDER}_kernel_rows.h",
        "scales_[token], scaleQueue_",
        "scales_[row], scaleQueue_",
        modes=("dropless", "active"),
        least_indices=2,
    ),
    Quantised(
        "integers-truncated",
        before=ROUNDED,
        after=ROUNDED.replace("RINT", "TRUNC"),
    ),
    Quantised(
        "half-added-and-rounded-down",
        before=ROUNDED,
        after=f"AscendC::Adds(values, values, 0.5f, count);{BARRIER}"
        + ROUNDED.replace("RINT", "FLOOR"),
    ),
    Quantised(
        "halves-rounded-away-from-zero",
        before=ROUNDED,
        after=ROUNDED.replace("RINT", "ROUND"),
        unreached="the document does not say which of two nearest integers it is",
    ),
    Quantised(
        "quotients-rounded-to-half-before",
        before=ROUNDED,
        after="const LocalTensor<half> early = workBuffer_.Get<half>();"
        f" AscendC::Cast(early, values, RoundMode::CAST_RINT, columns);{BARRIER}"
        f" AscendC::Cast(values, early, RoundMode::CAST_NONE, columns);{BARRIER}{ROUNDED}",
    ),
    Static(
        "offset-left-out",
        before=OFFSET,
        after="",
    ),
    Static(
        "offset-before-the-scale",
        before="AscendC::Muls(values, values, factor_, count);",
        after=f"{OFFSET}{BARRIER}AscendC::Muls(values, values, factor_, count);{BARRIER}"
        "AscendC::Adds(values, values, -offset_, count);",
    ),
    Scaled(
        "largest-by-128",
        before="LARGEST_INTEGER = 127.0f;",
        after="LARGEST_INTEGER = 128.0f;",
    ),
    Scaled(
        "largest-of-signed-values",
        before="AscendC::Abs(work, valueBuffer_.Get<float>(), count);",
        after="AscendC::Muls(work, valueBuffer_.Get<float>(), 1.0f, count);",
    ),
    Scaled(
        "largest-rounded-to-bf16",
        before=f"scale = {LARGEST}",
        after=f"scale = AscendC::ToFloat(AscendC::ToBfloat16({LARGEST[:-19]})) / LARGEST_INTEGER;",
    ),
    Scaled(
        "last-column-not-among-the-largest",
        before="AscendC::ReduceMax(number, work, work, count);",
        after="AscendC::ReduceMax(number, work, work, count > 1 ? count - 1 : count);",
        least_hidden=2,
    ),
    Scaled(
        "largest-of-the-last-tile-wins",
        before="largest = ofTile > largest ? ofTile : largest;",
        after="largest = ofTile;",
        least_hidden=33,
    ),
    Scaled(
        "reciprocal-of-the-scale-stored",
        before="StoreScale(row, scale);",
        after="StoreScale(row, 1.0f / scale);",
    ),
    Scaled(
        "values-times-the-reciprocal",
        before="AscendC::Div(values, values, work, count);",
        after="AscendC::Muls(values, values, 1.0f / scale, count);",
    ),
    Scaled(
        "factors-of-the-next-expert",
        before=FACTOR_ROW,
        after=FACTOR_ROW.replace("? expert", "? (expert + 1) % factorRows_"),
    ),
    Scaled(
        "factors-of-the-first-tile",
        before="scale_[row * hidden_ + column]",
        after="scale_[row * hidden_]",
        least_hidden=33,
    ),
    Scaled(
        "largest-without-factors",
        before=f"{LOADED}            AscendC::Abs",
        after=f"{without_factors(LOADED)}            AscendC::Abs",
    ),
    Scaled(
        "quotients-without-factors",
        before=f"{LOADED}            const int32_t count",
        after=f"{without_factors(LOADED)}            const int32_t count",
    ),
)
"""The seeded mistakes."""
