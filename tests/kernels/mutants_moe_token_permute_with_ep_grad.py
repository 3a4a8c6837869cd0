"""Seeded mistakes for the MoeTokenPermuteWithEpGrad kernel: small edits that a suite must catch.
Those of the sums over slots that it shares are in mutants_moe_token_permute_grad.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_ranks import OF_STARTS, OF_SUMMED_ENDS

FOLDER = "moe_token_permute_with_ep_grad"
KERNEL = f"{FOLDER}/{FOLDER}_kernel.cpp"
TILING = f"{FOLDER}/{FOLDER}_tiling.cpp"
BETWEEN = "    return rank_range::Between(start, end);"
SLOTS = "shared/slots/slot_sum_kernel.h"
ROWS = "shared/rows/row_sum_kernel.h"
GATHER = "shared/slots/slot_gather_kernel.h"
LEAST_TILES = 81
"""The fewest columns of fp32 that the smallest buffer takes in two tiles."""

LEAST_GATHERED = 26
"""The most probabilities of fp32 that the smallest buffer takes in one batch."""

Gather = partial(Mutant, file=GATHER)

MUTANTS: tuple[Mutant, ...] = (
    *OF_STARTS,
    Mutant(
        "range-ends-after-its-end",
        TILING,
        "static_cast<int64_t>(range.count),",
        "static_cast<int64_t>(range.count) + 1,",
    ),
    *OF_SUMMED_ENDS,
    Mutant(
        "empty-range-taken-as-all-ranks",
        TILING,
        BETWEEN,
        "    const Range range = rank_range::Between(start, end);\n"
        "    return range.count > 0 ? range : Range{0, static_cast<uint64_t>(call.rows)};",
        documented=True,
    ),
    Mutant(
        "absent-range-taken-as-all-ranks",
        TILING,
        "    if (call.range.values == nullptr) {\n        return {0, 0};",
        "    if (call.range.values == nullptr) {\n"
        "        return {0, static_cast<uint64_t>(call.rows)};",
        quarantined="no range",
    ),
    Mutant(
        "reversed-range-from-its-end-to-its-start",
        TILING,
        BETWEEN,
        "    const bool isReversed = end >= 0 && end < start && start <= call.tokens * call.topK;\n"
        "    return rank_range::Between(isReversed ? end : start, isReversed ? start : end);",
        documented=True,
    ),
    Mutant(
        "start-cut-to-zero",
        TILING,
        "            range.first,\n",
        "            std::max<int64_t>(range.first, 0),\n",
        quarantined="range (-1, 3)",
    ),
    Mutant(
        "slot-positions-sliced-instead-of-ranks",
        SLOTS,
        "return named_.RowOf(index);",
        "return named_.RowOf(index) == INT64_MAX ? INT64_MAX : place % batch_ + 0 * index;",
        least_indices=2,
    ),
    Mutant(
        "dropped-first-slot-not-zeroed",
        ROWS,
        "AscendC::Duplicate(sum_, static_cast<Sum>(0), count);",
        "(void)count;",
    ),
    Mutant(
        "sum-of-k-plus-1-terms",
        SLOTS,
        "const int64_t slots = topK_;",
        "const int64_t slots = topK_ + 1;",
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
        least_indices=2,
    ),
    Mutant(
        "last-tile-lost",
        SLOTS,
        "column < hidden_; column += tileColumns_",
        "column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
    Mutant(
        "offset-in-32-bits",
        ROWS,
        "source_[row * hidden_ + column]",
        "source_[static_cast<int32_t>(row * hidden_) + column]",
        documented=True,
    ),
    Gather(
        "probability-outside-the-range-left-as-it-was",
        before="isThere ? fetched.GetValue(at) : T{0}",
        after="isThere || i > 0 ? fetched.GetValue(at) : T{0}",
    ),
    Gather(
        "probability-outside-the-range-is-that-of-the-slot-before",
        before="            gathered.SetValue(static_cast<uint32_t>(i), isThere ?"
        " fetched.GetValue(at) : T{0});",
        after="            const T before = i > 0 ? gathered.GetValue(static_cast<uint32_t>(i - 1))"
        " : T{0};\n"
        "            gathered.SetValue(static_cast<uint32_t>(i), isThere ?"
        " fetched.GetValue(at) : before);",
        least_indices=2,
    ),
    Gather(
        "probabilities-in-the-order-of-ranks",
        before="AscendC::DataCopyPad(fetched[i * BLOCK_ELEMENTS], table_[row],",
        after="AscendC::DataCopyPad(fetched[i * BLOCK_ELEMENTS], table_[Least(i, elements_ - 1)],",
        least_indices=2,
    ),
    Gather(
        "minus-zero-lost",
        before="isThere ? fetched.GetValue(at) : T{0}",
        after="isThere && static_cast<T>(fetched.GetValue(at) << 1) != 0"
        " ? fetched.GetValue(at) : T{0}",
    ),
    Gather(
        "subnormals-flushed",
        before="isThere ? fetched.GetValue(at) : T{0}",
        after="isThere && static_cast<T>(fetched.GetValue(at) << 1) >> (sizeof(T) == 4 ? 24 : 11)"
        " != 0 ? fetched.GetValue(at) : T{0}",
        dtypes=("float32", "float16"),
    ),
    Mutant(
        "bits-of-fp32-probabilities-halved",
        KERNEL,
        "std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint16_t>;",
        "std::conditional_t<sizeof(T) == sizeof(uint32_t), uint16_t, uint16_t>;",
        dtypes=("float32",),
    ),
    Mutant(
        "probabilities-not-moved",
        KERNEL,
        "if (tiling->probs.slots > 0) {",
        "if (tiling->probs.slots < 0) {",
    ),
    Gather(
        "later-batches-to-the-place-of-the-first",
        before="Store(slot, slots);",
        after="Store(share_.first, slots);",
        least_indices=LEAST_GATHERED + 1,
    ),
    Gather(
        "last-batch-of-probabilities-lost",
        before="slot < share_.end; slot += batch_",
        after="slot + batch_ <= share_.end; slot += batch_",
        least_indices=LEAST_GATHERED + 1,
    ),
    Gather(
        "every-core-with-the-slots-of-the-first",
        before="AscendC::GetBlockIdx(), AscendC::GetBlockNum());",
        after="0, AscendC::GetBlockNum());",
        cores=2,
        least_indices=2,
    ),
    Gather(
        "elements-read-before-they-are-there",
        before="            }\n        }\n        Order<HardEvent::MTE2_S>();",
        after="            }\n        }",
    ),
    Gather(
        "next-batch-gathered-while-the-last-is-stored",
        before="        Order<HardEvent::MTE3_S>();\n",
        after="",
        least_indices=LEAST_GATHERED + 1,
    ),
    Gather(
        "stored-before-it-is-gathered",
        before="        Order<HardEvent::S_MTE3>();\n",
        after="",
    ),
)
