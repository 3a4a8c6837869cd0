"""Seeded mistakes for the MoeTokenUnpermuteWithEp kernel: small edits that a suite must catch.
Those of the weighted sums over slots that it shares are in mutants_moe_token_unpermute.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_ranks import OF_STARTS, OF_SUMMED_ENDS

FOLDER = "moe_token_unpermute_with_ep"
ENTRY = f"{FOLDER}/aclnn_{FOLDER}.cpp"
TILING = f"{FOLDER}/{FOLDER}_tiling.cpp"
BETWEEN = "    return rank_range::Between(start, end);"
ABSENT = "return {0, static_cast<uint64_t>(call.rows)};"
TYPES = "shared/slots/weighed_sum_kernel.h"
SLOTS = "shared/slots/slot_sum_kernel.h"
WEIGHTS = "shared/slots/slot_weights_kernel.h"
ROWS = "shared/rows/row_sum_kernel.h"
NEXT_SLOT = (
    "            const int64_t row = SourceRow(place + slot);\n"
    "            const auto weight = weights_.At(place + slot);\n"
)
LEAST_TILES = 81
"""The fewest columns of fp32 that the smallest buffer takes in two tiles."""

Slots = partial(Mutant, file=SLOTS)
Tiled = partial(Mutant, file=TILING)

MUTANTS: tuple[Mutant, ...] = (
    *OF_STARTS,
    Tiled(
        "range-ends-after-its-end",
        before="static_cast<int64_t>(range.count);",
        after="static_cast<int64_t>(range.count) + 1;",
    ),
    *OF_SUMMED_ENDS,
    Tiled(
        "empty-range-taken-as-all-ranks",
        before=BETWEEN,
        after="    const Range range = rank_range::Between(start, end);\n"
        "    return range.count > 0 ? range : Range{0, static_cast<uint64_t>(call.rows)};",
        documented=True,
    ),
    Tiled(
        "absent-range-taken-as-none",
        before=ABSENT,
        after="return {0, 0};",
        documented=True,
    ),
    Mutant(
        "num-topk-taken-where-the-range-is-absent",
        ENTRY,
        "return call.HasList(kRange);",
        'return call.Number("numTopk") > 0;',
        documented=True,
    ),
    Slots(
        "slot-positions-sliced-instead-of-ranks",
        before="return named_.RowOf(index);",
        after="return named_.RowOf(index) == INT64_MAX ? INT64_MAX : place % batch_ + 0 * index;",
        least_indices=2,
    ),
    Slots(
        "skipped-slot-adds-the-row-before-it",
        before=NEXT_SLOT,
        after=NEXT_SLOT.replace(
            "SourceRow(place + slot);",
            "SourceRow(place + (IsKept(SourceRow(place + slot)) ? slot : slot - 1));",
        ),
        least_indices=2,
    ),
    Slots(
        "probs-compacted-by-the-slots-in-the-range",
        before="        for (int64_t slot = 1; slot < slots; ++slot) {\n" + NEXT_SLOT,
        after="        int64_t kept = IsKept(first) ? 1 : 0;\n"
        "        for (int64_t slot = 1; slot < slots; ++slot) {\n"
        + NEXT_SLOT.replace("At(place + slot);", "At(place + kept);")
        + "            kept += IsKept(row) ? 1 : 0;\n",
        least_indices=2,
    ),
    Mutant(
        "dropped-first-slot-not-zeroed",
        ROWS,
        "AscendC::Duplicate(sum_, static_cast<Sum>(0), count);",
        "(void)count;",
    ),
    Slots(
        "sum-ends-at-the-first-skipped-slot",
        before="                rows_.AddRow(row, column, columns, weight);\n            }\n",
        after="                rows_.AddRow(row, column, columns, weight);\n"
        "            } else {\n                break;\n            }\n",
        least_indices=3,
    ),
    Slots(
        "sum-of-k-plus-1-terms",
        before="const int64_t slots = topK_;",
        after="const int64_t slots = topK_ + 1;",
    ),
    Mutant(
        "zero-probability-multiplied",
        WEIGHTS,
        "return weight != 0;",
        "return true;",
    ),
    Mutant(
        "probability-cut-to-bf16",
        WEIGHTS,
        "return static_cast<float>(weight);",
        "return AscendC::ToFloat(AscendC::ToBfloat16(static_cast<float>(weight)));",
    ),
    Mutant(
        "probabilities-of-the-first-token-for-a-whole-batch",
        SLOTS,
        "const auto weight = weights_.At(place + slot);",
        "const auto weight = weights_.At(slot);",
        least_indices=4,
    ),
    Mutant(
        "probs-ignored",
        TYPES,
        "return Sum<T, SlotWeights<float>>(tensors, tiling, named);",
        "return Sum<T, row_sum::NoWeights>(tensors, tiling, named);",
    ),
    Mutant(
        "slots-without-probs-not-added",
        TYPES,
        "return Sum<T, row_sum::NoWeights>(tensors, tiling, named);",
        "return tiling->topK > 1 ? void() : Sum<T, row_sum::NoWeights>(tensors, tiling, named);",
        least_indices=2,
    ),
    Mutant(
        "fp16-accumulated-in-fp16",
        ROWS,
        "using Sum = float;",
        "using Sum = std::conditional_t<std::is_same_v<T, half>, half, float>;",
        dtypes=("float16",),
        least_indices=2,
    ),
    Mutant(
        "result-truncated-to-16-bit",
        ROWS,
        "RoundMode::CAST_RINT",
        "RoundMode::CAST_TRUNC",
        dtypes=("float16", "bfloat16"),
    ),
    Slots(
        "last-tile-lost",
        before="column < hidden_; column += tileColumns_",
        after="column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
)
