"""Seeded mistakes for the MoeTokenUnpermute kernel: small edits that a suite must catch. Those of
the sums over slots that it shares are in mutants_moe_token_permute_grad.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

TYPES = "shared/slots/weighed_sum_kernel.h"
SLOTS = "shared/slots/slot_sum_kernel.h"
WEIGHTS = "shared/slots/slot_weights_kernel.h"
ROWS = "shared/rows/row_sum_kernel.h"
WITH_PROBS = ("whole", "uneven")
LEAST_TILES = 81
"""The fewest columns of fp32 that the smallest buffer takes in two tiles."""

LEAST_BATCHES = 9
"""The fewest indices that it takes in two batches, whatever the columns beside them."""

Mistake = partial(Mutant, modes=WITH_PROBS)
Weighed = partial(Mistake, file=WEIGHTS)

MUTANTS: tuple[Mutant, ...] = (
    Mistake(
        "probability-of-the-next-slot",
        SLOTS,
        "weights_.At(place + slot);",
        "weights_.At(place + Least(slot + 1, slots - 1));",
        least_indices=3,
    ),
    Mistake(
        "probability-of-the-first-slot-for-all",
        SLOTS,
        "weights_.At(place + slot);",
        "weights_.At(place);",
        least_indices=2,
    ),
    Mistake(
        "probs-read-column-by-column",
        SLOTS,
        "weights_.At(place + slot);",
        "weights_.At(slot * (share_.end - share_.first) + place / topK_);",
        least_indices=4,
    ),
    Mistake(
        "second-batch-with-the-probs-of-the-first",
        SLOTS,
        "weights_.Load(token * topK_,",
        "weights_.Load(share_.first * topK_,",
        least_indices=LEAST_BATCHES,
    ),
    Mistake(
        "every-core-with-the-probs-of-the-first",
        SLOTS,
        "weights_.Load(token * topK_,",
        "weights_.Load((token - share_.first) * topK_,",
        cores=2,
        least_indices=2,
    ),
    Weighed("zero-probability-multiplied", before="return weight != 0;", after="return true;"),
    Weighed(
        "minus-zero-multiplied",
        before="return weight != 0;",
        after="return weight != 0 || __builtin_signbit(weight);",
    ),
    Weighed(
        "probability-that-is-no-number-taken-as-zero",
        before="return weight != 0;",
        after="return weight < 0 || weight > 0;",
    ),
    Weighed(
        "negative-probability-taken-as-zero",
        before="return weight != 0;",
        after="return weight > 0;",
    ),
    Weighed(
        "probability-rounded-to-fp16",
        before="return static_cast<float>(weight);",
        after="return static_cast<float>(static_cast<half>(static_cast<float>(weight)));",
    ),
    Mistake(
        "index-equal-to-the-rows-kept",
        SLOTS,
        "return row < sourceRows_;",
        "return row <= sourceRows_;",
    ),
    Mistake(
        "dropped-slot-not-skipped",
        SLOTS,
        "if (IsKept(row) && Weights::IsKept(weight)) {",
        "if (Weights::IsKept(weight)) {",
        least_indices=2,
    ),
    Mistake(
        "product-and-sum-rounded-once",
        ROWS,
        "Multiply(values, factor, count);\n            AscendC::Add(sum_, sum_, values, count);",
        "AscendC::PipeBarrier<PIPE_ALL>();"
        " for (int32_t i = 0; i < count; ++i) sum_.SetValue(i, __builtin_fmaf(values.GetValue(i),"
        " ValueOf(factor), sum_.GetValue(i)));"
        " AscendC::PipeBarrier<PIPE_ALL>();",
        dtypes=("float32",),
        least_indices=2,
    ),
    Mistake(
        "fp16-accumulated-in-fp16",
        ROWS,
        "using Sum = float;",
        "using Sum = std::conditional_t<std::is_same_v<T, half>, half, float>;",
        dtypes=("float16",),
        least_indices=2,
    ),
    Mistake(
        "product-not-multiplied-into-the-first-slot",
        ROWS,
        "Multiply(sum_, factor, count);",
        "",
        dtypes=("float16", "bfloat16"),
    ),
    Mistake(
        "result-truncated-to-16-bit",
        ROWS,
        "RoundMode::CAST_RINT",
        "RoundMode::CAST_TRUNC",
        dtypes=("float16", "bfloat16"),
    ),
    Mistake(
        "last-tile-lost",
        SLOTS,
        "column < hidden_; column += tileColumns_",
        "column + tileColumns_ <= hidden_; column += tileColumns_",
        least_hidden=LEAST_TILES,
    ),
    Mistake(
        "bf16-probs-read-as-fp16",
        TYPES,
        "SlotWeights<bfloat16_t>",
        "SlotWeights<half>",
    ),
    Mistake(
        "probs-ignored",
        TYPES,
        "return Sum<T, SlotWeights<float>>(tensors, tiling, named);",
        "return Sum<T, row_sum::NoWeights>(tensors, tiling, named);",
    ),
    Mistake(
        "indices-and-probs-read-before-they-are-there",
        SLOTS,
        "        ordering::Order<AscendC::HardEvent::MTE2_S>();\n",
        "",
    ),
    Mistake(
        "product-added-before-it-is-there",
        ROWS,
        "        AscendC::Muls(values, values, factor, count);\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n",
        "        AscendC::Muls(values, values, factor, count);\n",
        least_indices=2,
    ),
)
