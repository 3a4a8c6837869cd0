"""Seeded mistakes for the MoeFinalizeRoutingV2Grad kernel: small edits that a suite must catch.
Those of the sums that it shares are in mutants_moe_token_unpermute_grad.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

FOLDER = "moe_finalize_routing_v2_grad"
KERNEL = f"{FOLDER}/{FOLDER}_kernel.cpp"
TILING = f"{FOLDER}/{FOLDER}_tiling.cpp"
INTERFACE = f"{FOLDER}/{FOLDER}_interface.h"
GRAD = "shared/slots/slot_grad_kernel.h"
BIAS = "shared/slots/slot_bias_kernel.h"
TILE = "shared/slots/slot_tile_kernel.h"
ROWS = "shared/slots/slot_rows_kernel.h"
UB = "shared/slots/slot_grad_cut.h"
ZEROS = "shared/rows/zero_fill_kernel.h"
COPIES = "shared/slots/slot_copy_kernel.h"
LANES = 64
"""Columns of which each has a lane of its own."""

LEAST_TILES = 25
"""The fewest columns of fp32 that the smallest buffer takes in two tiles, without a bias."""

NARROW = ("float16", "bfloat16")
Biased = partial(Mutant, file=BIAS)
"""Shown with a bias alone."""

Weighed = partial(Mutant, file=GRAD)
"""Shown with scales alone."""

Copied, Zeroed, Active = partial(Mutant), partial(Mutant), partial(Mutant)
"""Shown without scales alone; in drop/pad mode alone; where activeNum is below the slots alone."""

MUTANTS: tuple[Mutant, ...] = (
    Biased(
        "bias-of-the-slot's-number-in-place-of-its-expert's",
        before="biases_[ExpertOf(place) * hidden_ + column]",
        after="biases_[(place < ExpertOf(place) ? place : ExpertOf(place)) * hidden_ + column]",
    ),
    Biased(
        "bias-of-the-batch's-first-expert-for-all",
        before="biases_[ExpertOf(place) * hidden_ + column]",
        after="biases_[ExpertOf(0) * hidden_ + column]",
        least_indices=2,
    ),
    Biased(
        "second-tile-of-a-bias-from-its-first-column",
        before="biases_[ExpertOf(place) * hidden_ + column]",
        after="biases_[ExpertOf(place) * hidden_]",
        least_hidden=9,
    ),
    Biased(
        "experts-of-the-first-batch-for-all",
        before="experts_[first]",
        after="experts_[0]",
        least_indices=2,
    ),
    Biased(
        "bias-subtracted",
        before="AscendC::Add(row, row, Widened(",
        after="AscendC::Sub(row, row, Widened(",
    ),
    Biased(
        "bias-added-before-the-one-before-is-read",
        before="        AscendC::PipeBarrier<PIPE_V>();\n        queue_.FreeTensor(copied);\n",
        after="        queue_.FreeTensor(copied);\n",
    ),
    Biased(
        "bias-added-to-the-products",
        file=GRAD,
        before="        bias_.AddTo(products, place, column, columns);\n"
        "        AscendC::Mul(products, products, grad, count);\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n",
        after="        AscendC::Mul(products, products, grad, count);\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n"
        "        bias_.AddTo(products, place, column, columns);\n",
    ),
    Biased(
        "bias-of-the-place-within-the-part",
        file=GRAD,
        before="bias_.AddTo(products, place, column, columns);",
        after="bias_.AddTo(products, slotOfPart, column, columns);",
        least_indices=2,
    ),
    Weighed(
        "gradient-of-a-dropped-slot's-scale-not-zeroed",
        before="        AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));\n",
        after="        if (IsAnyKept(place, slots))"
        " AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));\n",
    ),
    Weighed(
        "scale-of-the-next-slot",
        before="weights_.At(place + i), row",
        after="weights_.At(place + Least(i + 1, slots - 1)), row",
        least_indices=2,
    ),
    Weighed(
        "gradient-of-the-slot-in-place-of-the-token",
        before="const int64_t token = weights_.TokenOf(slot + place);",
        after="const int64_t token = Least(slot + place, (endSlot_ - 1) / topK_);",
        least_indices=2,
    ),
    Weighed(
        "gradient-of-the-scale-weighed",
        before="AddProducts(grad, place + i, i, row, column, columns);",
        after="AscendC::Muls(grad, grad, weights_.At(place + i),"
        " static_cast<int32_t>(RoundedToBlocks(columns)));"
        " AscendC::PipeBarrier<PIPE_V>(); AddProducts(grad, place + i, i, row, column, columns);",
    ),
    Weighed(
        "row-gradient-truncated-to-16-bit",
        before="AscendC::Cast(result, product, RoundMode::CAST_RINT, count);",
        after="AscendC::Cast(result, product, RoundMode::CAST_TRUNC, count);",
        dtypes=NARROW,
    ),
    Weighed(
        "sum-truncated-to-16-bit",
        before="AscendC::Cast(rounded, sums_, RoundMode::CAST_RINT,",
        after="AscendC::Cast(rounded, sums_, RoundMode::CAST_TRUNC,",
        dtypes=NARROW,
    ),
    Weighed(
        "last-tile-lost",
        before="isWanted && column < hidden_; column += tileColumns_",
        after="isWanted && column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
    Weighed(
        "every-tile-in-the-first-lanes",
        before="lanes[column % LANES];",
        after="lanes[0];",
        least_hidden=LEAST_TILES,
        reorders=True,
    ),
    Weighed(
        "last-core-idle",
        before="endSlot_ = Least(firstSlot_ + tiling->slotsPerCore, tiling->slots);",
        after="endSlot_ = AscendC::GetBlockNum() > 1"
        " && AscendC::GetBlockIdx() + 1 == AscendC::GetBlockNum() ? firstSlot_"
        " : Least(firstSlot_ + tiling->slotsPerCore, tiling->slots);",
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "padding-of-a-tile-undefined",
        TILE,
        "    zeros.isPad = true;\n",
        "",
    ),
    Mutant(
        "negative-index-wraps-around",
        ROWS,
        "return index < first ? INT64_MAX : index - first;",
        "return index < first ? index + 2147483648 : index - first;",
        quarantined="index -2147483648",
    ),
    Mutant(
        "index-minus-two-is-a-row",
        ROWS,
        "return index < first ? INT64_MAX : index - first;",
        "return index == first - 1 ? INT64_MAX : index - first;",
        quarantined="index -2",
    ),
    Mutant(
        "dropped-slot-takes-the-first-row",
        KERNEL,
        "row_sum::RankedRows{0}",
        "row_sum::RankedRows{-1}",
    ),
    Zeroed(
        "no-zeros-in-places-that-no-slot-takes",
        KERNEL,
        "        zero_fill::WriteAll<Bits>(tensors.rowGrads, tiling->zeroedElements,"
        " tiling->zerosAtOnce);\n",
        "",
    ),
    Zeroed(
        "zeros-over-what-other-cores-wrote",
        KERNEL,
        "        AscendC::SyncAll();\n",
        "",
        cores=2,
    ),
    Zeroed(
        "block-without-zeros-does-not-wait",
        KERNEL,
        "if (tiling->zeroedElements > 0) {",
        "if (tiling->zeroedElements > AscendC::GetBlockIdx()) {",
        cores=2,
        modes=("single", "drop_pad"),
    ),
    Biased(
        "bias-forgotten",
        file=KERNEL,
        before="Weigh<T, slot_grad::SlotBias<T>>(tensors, tiling);",
        after="Weigh<T, slot_grad::NoBias>(tensors, tiling);",
    ),
    Mutant(
        "bf16-computed-as-fp16",
        KERNEL,
        "return Run<bfloat16_t>(tensors, data);",
        "return Run<half>(tensors, data);",
        dtypes=("bfloat16",),
    ),
    Zeroed(
        "every-second-buffer-of-zeros-skipped",
        ZEROS,
        "element < share.end; element += elements)",
        "element < share.end; element += 2 * elements)",
    ),
    Zeroed(
        "last-zeros-lost",
        ZEROS,
        "ordering::Least(elements, share.end - element);",
        "ordering::Least(elements, share.end - element - (share.end > elements));",
    ),
    Zeroed(
        "zeros-copied-before-they-are-there",
        ZEROS,
        "    ordering::Order<AscendC::HardEvent::V_MTE3>();\n",
        "",
    ),
    Zeroed(
        "zeros-of-the-first-expert-alone",
        TILING,
        "tiling->zeroedElements = tiling->slots.rows * tiling->slots.hidden;",
        "tiling->zeroedElements = call.capacity * tiling->slots.hidden;",
    ),
    Zeroed(
        "no-place-beyond-the-number-of-slots",
        TILING,
        "IsDropPad(call) ? call.experts * call.capacity : call.rows;",
        "IsDropPad(call) ? std::min(call.experts * call.capacity, call.tokens * call.topK)"
        " : call.rows;",
    ),
    Active(
        "active-num-ignored",
        INTERFACE,
        'return call.Number("activeNum") > 0 ? std::min(call.Number("activeNum"), slots) : slots;',
        "return slots;",
        least_indices=2,
    ),
    Copied(
        "index-equal-to-the-rows-copied",
        TILING,
        "copies.endRank = tiling->slots.rows;",
        "copies.endRank = tiling->slots.rows + 1;",
    ),
    Copied(
        "minus-one-copied",
        TILING,
        "copies.endRank = tiling->slots.rows;",
        "copies.endRank = tiling->slots.rows; copies.firstRank = -1;",
    ),
    Copied(
        "NaN-canonicalised-where-rows-are-copied",
        COPIES,
        "rows = rowQueue_.template DeQue<T>();\n",
        "rows = rowQueue_.template DeQue<T>();\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n"
        "        constexpr T infinite = sizeof(T) == 2 ? 0xff00u : 0xff000000u;\n"
        "        for (int64_t i = 0; i < tokens * rowElements; ++i)"
        " if (i % rowElements < columns && static_cast<T>(rows.GetValue(i) << 1) > infinite)"
        " rows.SetValue(i, infinite >> 1 | 1);\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n",
    ),
    Biased(
        "room-of-the-bias-forgotten",
        file=UB,
        before="const int64_t queues = hasBias ? kQueues + 1 : kQueues;",
        after="const int64_t queues = kQueues;",
        least_hidden=9,
    ),
)
