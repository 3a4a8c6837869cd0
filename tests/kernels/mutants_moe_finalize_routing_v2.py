"""Seeded mistakes for the MoeFinalizeRoutingV2 kernel: small edits that a suite must catch. Those
of the sums of rows that it shares are in mutants_moe_token_permute_grad.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

SUM = "shared/finalize/finalize_sum_kernel.h"
KERNEL = "shared/finalize/finalize_kernel.h"
CUT = "shared/finalize/finalize_cut.h"
ROWS = "shared/rows/row_sum_kernel.h"
SIXTEEN_BITS = ("float16", "bfloat16")
LEAST_TILES = 81
"""The fewest columns of fp32 that the smallest buffer takes in two tiles, whatever lies beside."""

LEAST_PARTS = 7
"""The fewest slots of a token whose names it takes in two parts."""

LEAST_BATCHES = 9
"""The fewest indices that it takes in two batches, whatever the columns beside them."""

Slots = partial(Mutant, file=SUM)
WITH_BIAS = "return Add(row_sum::Pair<T, Term>{term, BiasOf(expert, column)}, columns, scale);"
FP32_SCALES = "return sum.template RunWith<T, SlotWeights<float>>();"

MUTANTS: tuple[Mutant, ...] = (
    Slots(
        "slot-major-read-as-token-major",
        before="isSlotMajor_ = tiling->isSlotMajor == 1;",
        after="isSlotMajor_ = false;",
        least_indices=4,
    ),
    Mutant(
        "modes-1-and-2-change-places",
        CUT,
        "return call.dropPadMode < kFirstTokenMajorMode;",
        "return call.dropPadMode % 2 == 0;",
        least_indices=4,
    ),
    Slots(
        "slots-a-share-apart",
        before="rowIndices_[(slot + i) * tokens_ + token]",
        after="rowIndices_[(slot + i) * (share_.end - share_.first) + token]",
        cores=2,
        least_indices=4,
    ),
    Slots(
        "stride-of-slots-without-padding",
        before="slotStride_ = RoundUp(batch_, BLOCK_INDICES);",
        after="slotStride_ = batch_;",
        least_indices=2,
    ),
    Slots(
        "part-reads-the-first-slots-again",
        before="rowIndices_[(slot + i) * tokens_ + token]",
        after="rowIndices_[i * tokens_ + token]",
        least_indices=LEAST_PARTS,
    ),
    Slots(
        "scales-of-the-first-part-for-all",
        before="scales_.Load(first, tokens * slots);",
        after="scales_.Load(first - slot, tokens * slots);",
        least_indices=LEAST_PARTS,
    ),
    Slots(
        "last-part-lost",
        before="slot < topK_; slot += slotsPerPart_",
        after="slot + slotsPerPart_ <= topK_; slot += slotsPerPart_",
        least_indices=LEAST_PARTS,
    ),
    Slots(
        "second-batch-with-the-scales-of-the-first",
        before="scales_.Load(first, tokens * slots);",
        after="scales_.Load(share_.first * topK_ + slot, tokens * slots);",
        least_indices=LEAST_BATCHES,
    ),
    Slots(
        "scales-and-experts-read-slot-by-slot",
        before="AddSlot(token, RowIndex(place, slot), place * slotsPerPart_ + slot, column",
        after="AddSlot(token, RowIndex(place, slot), slot * batch_ + place, column",
        least_indices=4,
    ),
    Slots(
        "bias-after-the-scale",
        before=WITH_BIAS,
        after="Add(term, columns, scale);\n"
        "                return Add(BiasOf(expert, column), columns, row_sum::One{});",
    ),
    Slots(
        "bias-distributed-over-the-product",
        before=WITH_BIAS,
        after="Add(term, columns, scale);\n"
        "                return Add(BiasOf(expert, column), columns, scale);",
        reorders=True,
    ),
    Slots(
        "dropped-slot-without-its-bias",
        before="            Add(BiasOf(expert, column), columns, scale);\n",
        after="",
    ),
    Slots(
        "bias-of-a-dropped-slot-not-scaled",
        before="            Add(BiasOf(expert, column), columns, scale);\n",
        after="            Add(BiasOf(expert, column), columns, row_sum::One{});\n",
    ),
    Slots(
        "dropped-slot-takes-the-first-row",
        before="AddSlot(token, RowIndex(place, slot), place",
        after="AddSlot(token, RowIndex(place, slot) < 0 ? 0 : RowIndex(place, slot), place",
    ),
    Slots(
        "minus-1-taken-as-a-row",
        before="const bool hasRow = row >= 0 && row < sourceRows_;",
        after="const bool hasRow = row < sourceRows_;",
    ),
    Slots(
        "last-row-taken-as-none",
        before="const bool hasRow = row >= 0 && row < sourceRows_;",
        after="const bool hasRow = row >= 0 && row < sourceRows_ - 1;",
    ),
    Slots(
        "row-0-taken-as-none",
        before="const bool hasRow = row >= 0 && row < sourceRows_;",
        after="const bool hasRow = row > 0 && row < sourceRows_;",
    ),
    Slots(
        "bias-of-the-slot-not-of-its-expert",
        before="ValueAt(expertBuffer_, name)",
        after="name % slotsPerPart_",
    ),
    Slots(
        "experts-of-the-first-token-for-all",
        before="ValueAt(expertBuffer_, name)",
        after="ValueAt(expertBuffer_, name % slotsPerPart_)",
        least_indices=2,
    ),
    Slots(
        "last-expert-has-no-bias",
        before="expert < biasRows_;",
        after="expert < biasRows_ - 1;",
    ),
    Slots(
        "second-addend-lost",
        before="hasX2_ = tiling->hasX2 == 1;",
        after="hasX2_ = false;",
    ),
    Slots(
        "first-addend-for-both",
        before="Add(x2_[token * hidden_ + column], columns);",
        after="Add(x1_[token * hidden_ + column], columns);",
    ),
    Slots(
        "addend-of-the-first-tile-for-all",
        before="Add(x1_[token * hidden_ + column], columns);",
        after="Add(x1_[token * hidden_], columns);",
        least_hidden=LEAST_TILES,
    ),
    Slots(
        "addends-last",
        before="                    AddAddends(token + i, column, columns);\n"
        "                    if (isWhole) {\n"
        "                        AddSlots(token + i, i, topK_, column, columns);\n"
        "                    } else {\n"
        "                        AddParts(token + i, column, columns);\n"
        "                    }\n",
        after="                    if (isWhole) {\n"
        "                        AddSlots(token + i, i, topK_, column, columns);\n"
        "                    } else {\n"
        "                        AddParts(token + i, column, columns);\n"
        "                    }\n"
        "                    AddAddends(token + i, column, columns);\n",
        least_indices=2,
        reorders=True,
    ),
    Slots(
        "slots-from-the-last-to-the-first",
        before="AddSlot(token, RowIndex(place, slot), place * slotsPerPart_ + slot, column",
        after="AddSlot(token, RowIndex(place, slots - 1 - slot),"
        " place * slotsPerPart_ + slots - 1 - slot, column",
        least_indices=3,
        reorders=True,
    ),
    Slots(
        "nothing-to-add-leaves-what-was-there",
        before="if (!isStarted_) {\n                        rows_.StartAtZero(columns);",
        after="if (!isStarted_) {\n                        continue;",
    ),
    Slots(
        "last-tile-lost",
        before="column < hidden_; column += tileColumns_",
        after="column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
    Slots(
        "row-offset-in-32-bits",
        before="AddTerm(rows_.RowOf(row, column), ",
        after="AddTerm(rows_.RowOf(0, static_cast<int32_t>(row * hidden_) + column), ",
    ),
    Slots(
        "names-read-before-they-are-there",
        before="        Order<HardEvent::MTE2_S>();\n",
        after="",
    ),
    Slots(
        "next-names-over-those-still-read",
        before="        Order<HardEvent::S_MTE2>();\n",
        after="",
        least_indices=LEAST_BATCHES,
    ),
    Mutant(
        "row-with-bias-multiplied-before-it-is-there",
        ROWS,
        "        AscendC::Add(wide, wide, second, count);\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n",
        "        AscendC::Add(wide, wide, second, count);\n",
        dtypes=SIXTEEN_BITS,
    ),
    Mutant(
        "row-with-bias-rounded-to-16-bit",
        ROWS,
        "        AscendC::Add(wide, wide, second, count);\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n",
        "        AscendC::Add(wide, wide, second, count);\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n"
        "        for (int32_t i = 0; i < count; ++i) {\n"
        "            T rounded;\n"
        "            if constexpr (std::is_same_v<T, half>) {\n"
        "                rounded = static_cast<half>(wide.GetValue(i));\n"
        "                wide.SetValue(i, static_cast<float>(rounded));\n"
        "            } else {\n"
        "                rounded = AscendC::ToBfloat16(wide.GetValue(i));\n"
        "                wide.SetValue(i, AscendC::ToFloat(rounded));\n"
        "            }\n"
        "        }\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n",
        dtypes=SIXTEEN_BITS,
    ),
    Mutant(
        "fp32-scales-ignored-beside-bf16",
        KERNEL,
        FP32_SCALES,
        FP32_SCALES.replace("SlotWeights<float>", "NoWeights"),
        dtypes=("bfloat16",),
    ),
    Mutant(
        "fp32-scales-read-as-bf16",
        KERNEL,
        FP32_SCALES,
        FP32_SCALES.replace("float", "bfloat16_t"),
        dtypes=("bfloat16",),
    ),
    Mutant(
        "result-truncated-to-16-bit",
        ROWS,
        "RoundMode::CAST_RINT",
        "RoundMode::CAST_TRUNC",
        dtypes=SIXTEEN_BITS,
    ),
)
