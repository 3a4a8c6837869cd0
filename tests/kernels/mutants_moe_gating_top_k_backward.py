"""Seeded mistakes for the MoeGatingTopKBackward kernel: small edits that a suite must catch."""

from __future__ import annotations

from functools import partial

from tests.kernels.gating_mistakes import TRUNCATED
from tests.kernels.mutants import Mutant

Backward = partial(Mutant, file="moe_gating_top_k_backward/moe_gating_top_k_backward_kernel.cpp")

SCALED = "AscendC::Muls(ofSlots_, ofSlots_, tiling_->factor, Count(rows * slots_));"
SUMMED = "AscendC::ReduceSum(gradients_[i], weights_[i * slots_], work, Count(tiling_->k));"
WITH_EPS = "AscendC::Adds(sums, sums, tiling_->eps, Count(rows));"
GATHERED = """offsets[i * slots_], 0,
                            static_cast<uint32_t>(tiling_->k));
        }"""
DIVIDED = "AscendC::Div(ofSlots_, ofSlots_, divisors_, count);"
WEIGHED = "AscendC::Div(weights_, weights_, divisors_, count);"
MEAN = "-means.GetValue(static_cast<uint32_t>(i)), Count(slots_));"
BARRIER = "\n        AscendC::PipeBarrier<PIPE_V>();"

MUTANTS: tuple[Mutant, ...] = (
    Backward(
        name="no-mean-subtracted",
        before=MEAN,
        after=MEAN.replace("-means", "0.0f * means"),
    ),
    Backward(
        name="mean-added",
        before=MEAN,
        after=MEAN.replace("-means", "means"),
    ),
    Backward(
        name="mean-of-the-first-row-of-a-batch",
        before=MEAN,
        after=MEAN.replace("(i)", "(0)"),
        least_indices=2,
    ),
    Backward(
        name="mean-of-unscaled-gradients",
        before="AscendC::Mul(weights_, weights_, ofSlots_, count);",
        after="AscendC::Mul(weights_, weights_, ofSlots_, count);"
        + BARRIER
        + "AscendC::Muls(weights_, weights_, 1.0f / tiling_->factor, count);",
    ),
    Backward(
        name="mean-of-scores-that-are-not-divided",
        before=WEIGHED,
        after="AscendC::Adds(weights_, weights_, 0.0f, count);",
    ),
    Backward(
        name="not-divided-by-the-sum",
        before=DIVIDED,
        after="AscendC::Muls(ofSlots_, ofSlots_, 1.0f, count);",
    ),
    Backward(
        name="factor-lost",
        before=SCALED,
        after=SCALED.replace("tiling_->factor", "1.0f"),
    ),
    Backward(
        name="eps-lost",
        before=WITH_EPS,
        after=WITH_EPS.replace("tiling_->eps", "0.0f"),
    ),
    Backward(
        name="eps-twice",
        before=WITH_EPS,
        after=WITH_EPS.replace("tiling_->eps", "2.0f * tiling_->eps"),
    ),
    Backward(
        name="sum-of-all-experts",
        before="const LocalTensor<float> sums = SumSlots(rows);",
        after="const LocalTensor<float> sums = gradients_;\n"
        "        for (int64_t i = 0; i < rows; ++i) {\n"
        "            AscendC::ReduceSum(sums[i], scores_[i * experts_], weights_,\n"
        "                               Count(tiling_->experts));\n"
        "        }\n"
        "        AscendC::PipeBarrier<PIPE_V>();",
    ),
    Backward(
        name="last-slot-outside-the-sums",
        before=SUMMED,
        after=SUMMED.replace("tiling_->k", "tiling_->k - (tiling_->k > 1)"),
        least_indices=2,
    ),
    Backward(
        name="what-fills-up-a-row-is-multiplied-by-0",
        before=GATHERED,
        after=GATHERED
        + BARRIER
        + """
        for (int64_t i = 0; i < rows; ++i) {
            const auto end = static_cast<uint32_t>(RoundUp(tiling_->k, BLOCK_FLOATS));
            for (auto slot = static_cast<uint32_t>(tiling_->k); slot < end; ++slot) {
                const auto first = static_cast<uint32_t>(i * slots_);
                Order<HardEvent::V_S>();
                const float filled = 0.0f * scores_.GetValue(static_cast<uint32_t>(i * experts_));
                weights_.SetValue(first, weights_.GetValue(first) + filled);
                Order<HardEvent::S_V>();
            }
        }""",
    ),
    Backward(
        name="derivative-of-the-score-is-the-score",
        before="AscendC::Mul(scores_, scores_, gradients_, count);",
        after="AscendC::Adds(scores_, scores_, 0.0f, count);",
    ),
    Backward(
        name="derivative-with-1-plus-x",
        before="AscendC::Muls(gradients_, scores_, -1.0f, count);",
        after="AscendC::Muls(gradients_, scores_, 1.0f, count);",
    ),
    Backward(
        name="scores-of-the-row-above",
        before="CopyIn(scores_, allScores_, row, rows,",
        after="CopyIn(scores_, allScores_, row - (row > 0), rows,",
        least_indices=2,
    ),
    Backward(
        name="gradients-of-the-first-rows",
        before="CopyIn(raw, allGradients_, row, rows,",
        after="CopyIn(raw, allGradients_, 0, rows,",
        least_indices=2,
    ),
    Backward(
        name="inner-gradient-in-bfloat16",
        before=DIVIDED,
        after=DIVIDED
        + BARRIER
        + """
        const LocalTensor<bfloat16_t> narrow = weights_.template ReinterpretCast<bfloat16_t>();
        AscendC::Cast(narrow, ofSlots_, AscendC::RoundMode::CAST_RINT, rows * slots_);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(ofSlots_, narrow, AscendC::RoundMode::CAST_NONE, rows * slots_);""",
    ),
    Backward(
        name="gradients-of-the-batch-before-are-left",
        before="Fill(gradients_, 0.0f, count);",
        after="if (rows == tiling_->batch) { Fill(gradients_, 0.0f, count); }",
        least_indices=2,
    ),
    Backward(
        name="last-expert-has-no-gradient",
        before="ids_.GetValue(at));\n",
        after="ids_.GetValue(at));\n"
        "                if (ids_.GetValue(at) == tiling_->experts - 1) { continue; }\n",
    ),
    TRUNCATED,
)
