"""Seeded mistakes for the MoeTokenUnpermuteGrad kernel: small edits that a suite must catch. Those
of the copies that it shares are in mutants_moe_token_permute_with_ep.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

TYPES = "shared/slots/weighed_grad_kernel.h"
WEIGHTED = "shared/slots/slot_grad_kernel.h"
CUT = "shared/slots/weighed_grad_cut.h"
UB = "shared/slots/slot_grad_cut.h"
WEIGHTS = "shared/slots/slot_weights_kernel.h"
COPIES = "shared/slots/slot_copy_kernel.h"
WITH_PROBS = ("whole", "uneven")
WITHOUT_PROBS = ("single",)
LANES = 64
"""Columns of which each has a lane of its own."""

LEAST_TILES = 25
"""The fewest columns of fp32 that the smallest buffer takes in two tiles."""

Mistake = partial(Mutant, file=WEIGHTED, modes=WITH_PROBS)
Copied = partial(Mutant, modes=WITHOUT_PROBS)
NARROW = ("float16", "bfloat16")

MUTANTS: tuple[Mutant, ...] = (
    Mistake(
        "index-equal-to-the-rows-kept",
        before="return row < sourceRows_;",
        after="return row <= sourceRows_;",
        modes=("uneven",),
    ),
    Mistake(
        "dropped-slot-keeps-the-sum-before",
        before="        AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));\n",
        after="        if (IsAnyKept(place, slots))"
        " AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));\n",
    ),
    Mistake(
        "probability-of-the-next-slot",
        before="weights_.At(place + i), row",
        after="weights_.At(place + Least(i + 1, slots - 1)), row",
        least_indices=2,
    ),
    Mistake(
        "probability-of-the-part's-first-slot-for-all",
        before="weights_.At(place + i), row",
        after="weights_.At(place), row",
        least_indices=2,
    ),
    Mistake(
        "gradient-of-the-slot-in-place-of-the-token",
        before="const int64_t token = weights_.TokenOf(slot + place);",
        after="const int64_t token = Least(slot + place, (endSlot_ - 1) / topK_);",
        least_indices=2,
    ),
    Mistake(
        "part-runs-into-the-next-token",
        before="Least(Least(slotsPerPart_, ofToken), slots - place);",
        after="Least(Least(slotsPerPart_, ofToken + 1), slots - place);",
        least_indices=4,
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
        "row-in-place-of-its-gradient",
        before="WriteRowGrad(grad, weights_.At(place + i), row * hidden_ + column, columns);",
        after="WriteRowGrad(grad, weights_.At(place + i),"
        " (sourceRows_ - 1 - row) * hidden_ + column, columns);",
        least_indices=2,
    ),
    Mistake(
        "second-tile-from-the-first-column",
        before="CopyIn(rowQueue_, rows_[row * hidden_ + column], columns);",
        after="CopyIn(rowQueue_, rows_[row * hidden_], columns);",
        least_hidden=LEAST_TILES,
    ),
    Mistake(
        "last-tile-lost",
        before="isWanted && column < hidden_; column += tileColumns_",
        after="isWanted && column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
    Mistake(
        "columns-past-whole-repeats-not-added",
        before="if (rest > 0) {",
        after="if (rest > 0 && repeats == 0) {",
        least_hidden=LANES + 1,
    ),
    Mistake(
        "every-tile-in-the-first-lanes",
        before="lanes[column % LANES];",
        after="lanes[0];",
        least_hidden=LEAST_TILES,
        reorders=True,
    ),
    Mistake(
        "odd-lanes-not-summed",
        before="AscendC::WholeReduceSum(sums_[place * PITCH], lanes, LANES,",
        after="AscendC::WholeReduceSum(sums_[place * PITCH], lanes, LANES / 2,",
        least_hidden=LANES // 2 + 1,
    ),
    Mistake(
        "sums-of-each-part-in-the-first-places",
        before="AscendC::WholeReduceSum(sums_[place * PITCH],",
        after="AscendC::WholeReduceSum(sums_[place % topK_],",
        least_indices=2,
    ),
    Mistake(
        "products-accumulated-in-fp16",
        before="        AscendC::Mul(products, products, grad, count);\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n",
        after="        AscendC::Mul(products, products, grad, count);\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n"
        "        for (int32_t i = 0; i < count; ++i)"
        " products.SetValue(i, static_cast<float>(static_cast<half>(products.GetValue(i))));\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n",
    ),
    Mistake(
        "row-gradient-truncated-to-16-bit",
        before="AscendC::Cast(result, product, RoundMode::CAST_RINT, count);",
        after="AscendC::Cast(result, product, RoundMode::CAST_TRUNC, count);",
        dtypes=NARROW,
    ),
    Mistake(
        "sum-truncated-to-16-bit",
        before="AscendC::Cast(rounded, sums_, RoundMode::CAST_RINT,",
        after="AscendC::Cast(rounded, sums_, RoundMode::CAST_TRUNC,",
    ),
    Mistake(
        "offset-in-32-bits",
        before="grads_[token * hidden_ + column]",
        after="grads_[static_cast<int32_t>(token * hidden_ + column)]",
        least_indices=120_000,
        unreached="far gradients have no weights (docs/reference/extremes.md)",
    ),
    Mistake(
        "second-batch-with-the-probs-of-the-first",
        before="weights_.Load(slot, slots);",
        after="weights_.Load(firstSlot_, slots);",
        least_indices=9,
    ),
    Mistake(
        "last-core-idle",
        before="endSlot_ = Least(firstSlot_ + tiling->slotsPerCore, tiling->slots);",
        after="endSlot_ = AscendC::GetBlockNum() > 1"
        " && AscendC::GetBlockIdx() + 1 == AscendC::GetBlockNum() ? firstSlot_"
        " : Least(firstSlot_ + tiling->slotsPerCore, tiling->slots);",
        cores=2,
        least_indices=2,
    ),
    Mistake(
        "indices-read-before-they-are-there",
        before="        Order<HardEvent::MTE2_S>();\n",
        after="",
    ),
    Mistake(
        "next-indices-over-those-still-read",
        before="        Order<HardEvent::S_MTE2>();\n",
        after="",
        least_indices=9,
    ),
    Mistake(
        "sums-taken-before-the-last-products-are-in",
        before="products[repeats * LANES],\n"
        "                         static_cast<int32_t>(RoundedToBlocks(rest)));\n"
        "            AscendC::PipeBarrier<PIPE_V>();\n",
        after="products[repeats * LANES],\n"
        "                         static_cast<int32_t>(RoundedToBlocks(rest)));\n",
    ),
    Mistake(
        "bf16-probs-read-as-fp16",
        file=TYPES,
        before="return Weigh<T, bfloat16_t>(tensors, tiling, named);",
        after="return Weigh<T, half>(tensors, tiling, named);",
    ),
    Copied(
        "minus-zero-copied-as-plus-zero",
        COPIES,
        "rows = rowQueue_.template DeQue<T>();\n",
        "rows = rowQueue_.template DeQue<T>();\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n"
        "        for (int64_t i = 0; i < tokens * rowElements; ++i)"
        " if (i % rowElements < columns && static_cast<T>(rows.GetValue(i) << 1) == 0)"
        " rows.SetValue(i, 0);\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n",
    ),
    Copied(
        "index-equal-to-the-rows-copied",
        CUT,
        "copies.endRank = range.first + slots.rows;",
        "copies.endRank = range.first + slots.rows + 1;",
    ),
    Copied(
        "16-bit-rows-copied-as-32-bit",
        TYPES,
        "return OfRows<half, uint16_t>(tensors, tiling, named);",
        "return OfRows<half, uint32_t>(tensors, tiling, named);",
        dtypes=("float16",),
    ),
    Mistake(
        "tile-cut-where-lanes-wrap-around",
        file=UB,
        before="static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));",
        after="most;",
        least_hidden=LANES + 1,
    ),
)
