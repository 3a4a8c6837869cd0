"""Seeded mistakes for the MoeTokenUnpermuteWithEpGrad kernel: small edits that a suite must catch.
Those of the gradients of slots that it shares are in mutants_moe_token_unpermute_grad.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_token_unpermute_grad import LANES, LEAST_TILES, NARROW, WEIGHTED
from tests.kernels.mutants_ranks import OF_STARTS

FOLDER = "moe_token_unpermute_with_ep_grad"
TILING = f"{FOLDER}/{FOLDER}_tiling.cpp"
BOUND = "std::clamp<int64_t>(bound < 0 ? bound + slots : bound, 0, slots);"
BETWEEN = "return rank_range::Between(Bound(call, 0), Bound(call, 1));"
TYPES = "shared/slots/weighed_grad_kernel.h"
CUT = "shared/slots/weighed_grad_cut.h"
COPIES = "shared/slots/slot_copy_kernel.h"

Mistake = partial(Mutant, file=WEIGHTED)
Tiled = partial(Mutant, file=TILING)

MUTANTS: tuple[Mutant, ...] = (
    *OF_STARTS,
    Mutant(
        "range-ends-after-its-end",
        CUT,
        "slots.rows = static_cast<int64_t>(range.count);",
        "slots.rows = static_cast<int64_t>(range.count) + 1;",
    ),
    Mistake(
        "last-rank-of-the-range-lost",
        before="return row < sourceRows_;",
        after="return row < sourceRows_ - 1;",
    ),
    Tiled(
        "negative-bounds-cut-to-zero",
        before=BOUND,
        after="std::clamp<int64_t>(bound, 0, slots);",
        documented=True,
    ),
    Tiled(
        "minus-one-taken-as-the-end",
        before=BOUND,
        after="std::clamp<int64_t>(bound < 0 ? bound + slots + 1 : bound, 0, slots);",
        documented=True,
    ),
    Tiled(
        "negative-default-taken-as-everything",
        before=BETWEEN,
        after="const bool isDefault = call.range.values[0] == -1 && call.range.values[1] == -1;\n"
        "    return isDefault ? rank_range::Between(0, call.rows)\n"
        "                     : rank_range::Between(Bound(call, 0), Bound(call, 1));",
        documented=True,
    ),
    Tiled(
        "empty-range-taken-as-all-ranks",
        before=BETWEEN,
        after="const Range range = rank_range::Between(Bound(call, 0), Bound(call, 1));\n"
        "    return range.count > 0 ? range : Range{0, static_cast<uint64_t>(call.rows)};",
        documented=True,
    ),
    Tiled(
        "absent-range-taken-as-none",
        before="return {0, static_cast<uint64_t>(call.rows)};",
        after="return {0, 0};",
        documented=True,
    ),
    Mistake(
        "slot-positions-filtered-instead-of-ranks",
        before="return named_.RowOf(index);",
        after="return IsKept(named_.RowOf(place)) ? named_.RowOf(index) : INT64_MAX;",
        least_indices=2,
    ),
    Mistake(
        "dropped-slot-keeps-the-sum-before",
        before="        AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));\n",
        after="        if (IsAnyKept(place, slots))"
        " AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));\n",
    ),
    Mistake(
        "gradients-of-probabilities-outside-not-zeroed",
        before="        const bool isWanted = IsAnyKept(place, slots);\n",
        after="        const bool isWanted = IsAnyKept(place, slots);\n"
        "        if (!isWanted) {\n            return;\n        }\n",
    ),
    Mistake(
        "gradients-of-probabilities-compacted",
        before="AddProducts(grad, place + i, i, row, column, columns);",
        after="int64_t before = 0;\n"
        "                for (int64_t j = 0; j < i; ++j) before += IsKept(RowAt(place + j));\n"
        "                AddProducts(grad, place + i, before, row, column, columns);",
        least_indices=2,
    ),
    Mistake(
        "probs-compacted-by-the-slots-in-the-range",
        before="WriteRowGrad(grad, weights_.At(place + i), row * hidden_ + column, columns);",
        after="int64_t kept = 0;\n"
        "                for (int64_t j = 0; j < i; ++j) kept += IsKept(RowAt(place + j));\n"
        "                WriteRowGrad(grad, weights_.At(place + kept), row * hidden_ + column,"
        " columns);",
        least_indices=2,
    ),
    Mistake(
        "zero-probability-left-out",
        before="if (IsKept(row)) {",
        after="if (IsKept(row) && weights_.IsKept(weights_.At(place + i))) {",
    ),
    Mistake(
        "gradient-of-the-probability-weighed",
        before="AddProducts(grad, place + i, i, row, column, columns);",
        after="AscendC::Muls(grad, grad, weights_.At(place + i),"
        " static_cast<int32_t>(RoundedToBlocks(columns)));"
        " AscendC::PipeBarrier<PIPE_V>(); AddProducts(grad, place + i, i, row, column, columns);",
    ),
    Mistake(
        "part-runs-into-the-next-token",
        before="Least(Least(slotsPerPart_, ofToken), slots - place);",
        after="Least(Least(slotsPerPart_, ofToken + 1), slots - place);",
        least_indices=4,
    ),
    Mistake(
        "columns-past-whole-repeats-not-added",
        before="if (rest > 0) {",
        after="if (rest > 0 && repeats == 0) {",
        least_hidden=LANES + 1,
    ),
    Mistake(
        "last-tile-lost",
        before="isWanted && column < hidden_; column += tileColumns_",
        after="isWanted && column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
    Mistake(
        "row-gradient-truncated-to-16-bit",
        before="AscendC::Cast(result, product, RoundMode::CAST_RINT, count);",
        after="AscendC::Cast(result, product, RoundMode::CAST_TRUNC, count);",
        dtypes=NARROW,
    ),
    Mutant(
        "bf16-probs-read-as-fp16",
        TYPES,
        "return Weigh<T, bfloat16_t>(tensors, tiling, named);",
        "return Weigh<T, half>(tensors, tiling, named);",
    ),
    Mutant(
        "moved-rows-not-counted-from-the-start",
        COPIES,
        "permuteTokens_[(rank - firstRank_) * hidden_ + column]",
        "permuteTokens_[rank * hidden_ + column]",
    ),
    Mutant(
        "moved-rows-of-ranks-beyond-the-range",
        CUT,
        "copies.endRank = range.first + slots.rows;",
        "copies.endRank = range.first + call.rows + 1;",
    ),
    Mutant(
        "moved-rows-of-ranks-before-the-range",
        TYPES,
        "constexpr bool LEAVES_OUT_BELOW = !std::is_same_v<Named, row_sum::NumberedRows>;",
        "constexpr bool LEAVES_OUT_BELOW = false;",
    ),
    Mutant(
        "gradient-of-the-wrong-end-of-the-tokens-moved",
        COPIES,
        "tokens_[token * hidden_ + column],",
        "tokens_[(endToken_ - 1 - token + firstToken_) * hidden_ + column],",
        least_indices=2,
    ),
)
