"""Seeded mistakes for the MoeGatingTopK kernel: small edits that a suite must catch."""

from __future__ import annotations

from functools import partial

from tests.kernels.gating_mistakes import HALF, STEPS, TRUNCATED, through, turned
from tests.kernels.mutants import Mutant

FOLDER = "shared/gating/group"
SOFTMAX, RENORM, SIGMOID, SOFTPLUS = "softmax", "softmax_renorm", "sigmoid", "softplus"
DIVIDED = (RENORM, SIGMOID, SOFTPLUS)

Gate = partial(Mutant, file=f"{FOLDER}_gate_kernel.h")
Choice = partial(Mutant, file=f"{FOLDER}_choice_kernel.h")
Lanes = partial(Mutant, file=f"{FOLDER}_lanes_kernel.h")
Scores = partial(Mutant, file=f"{FOLDER}_scores_kernel.h")

SHIFTED = "AscendC::Add(ub_.keys, ub_.scores, ub_.bias, Count(ub_.all));"
BARRIER = " AscendC::PipeBarrier<PIPE_V>(); "
SUMMED = "AscendC::ReduceSum(sum, weights, sum[BLOCK_FLOATS], Count(k_));"
WEIGHED = "AscendC::Muls(weights, weights, tiling_->factor, Count(k_));"
KEPT = """for (int64_t place = 0; place < kept; ++place) {
        Keep(ub, Integers(groups).GetValue(static_cast<uint32_t>(place)));
    }"""
FILLED = """for (int64_t place = 0; place < ub.groups; ++place) {
        const int64_t group = Integers(groups).GetValue(static_cast<uint32_t>(place));
        Keep(ub, group);
        if (place >= kept) {
            Fill(ub.keys[ub.FirstOf(group)], 0.0f, ub.members);
        }
    }"""
MEMBERS = """static_cast<float>(first), 1.0f,
                              Count(ub.members));"""

EXTRACTED = """Count(ub.all / SORTED_KEYS));
    AscendC::PipeBarrier<PIPE_V>();"""
COMPARED = "\n    AscendC::CompareScalar("
CHOSEN = "Choose(ub_, k_, weights, ids);\n    }"
WEIGHTS_SORTED = (
    CHOSEN[: -len("\n    }")]
    + """
        Order<HardEvent::V_S>();
        for (uint32_t i = 0; i < k_; ++i) {
            for (uint32_t j = i + 1; j < k_; ++j) {
                const float one = weights.GetValue(i);
                const float other = weights.GetValue(j);
                if (one < other) {
                    weights.SetValue(i, other);
                    weights.SetValue(j, one);
                }
            }
        }
        Order<HardEvent::S_V>();
    }"""
)
STORED = "Store(expertIdx_, row * k_, ids, k_);"

MUTANTS: tuple[Mutant, ...] = (
    Gate(
        name="keys-in-bfloat16",
        before=SHIFTED,
        after=SHIFTED + BARRIER + through("bfloat16_t", "ub_.keys", "ub_.work", "ub_.all"),
    ),
    Gate(
        name="the-least-are-chosen",
        before=SHIFTED,
        after=SHIFTED + BARRIER + "AscendC::Muls(ub_.keys, ub_.keys, -1.0f, Count(ub_.all));",
    ),
    Choice(
        name="equal-keys-in-the-other-order",
        before=EXTRACTED + COMPARED,
        after=EXTRACTED + turned("ub.keys", "sorted", "float", "ub.all") + COMPARED,
    ),
    Gate(name="weights-sorted-apart-from-ids", before=CHOSEN, after=WEIGHTS_SORTED),
    Gate(
        name="first-weight-read-again-before-it-is-written",
        before=STORED,
        after=STORED
        + " Order<HardEvent::V_S>();"
        + " weights.SetValue(0, static_cast<float>(y_.GetValue(row * k_)));"
        + " Order<HardEvent::S_V>();",
    ),
    Choice(
        name="256-experts-at-most",
        before=MEMBERS,
        after=MEMBERS.replace(
            "ub.members", "ub.groups == 1 && ub.members > 256 ? 256 : ub.members"
        ),
        documented=True,
    ),
    Gate(
        name="bias-weighs",
        before=SHIFTED,
        after=SHIFTED.replace("ub_.keys", "ub_.scores")
        + BARRIER
        + "AscendC::Adds(ub_.keys, ub_.scores, 0.0f, Count(ub_.all));",
    ),
    Gate(
        name="score-recovered-as-key-minus-bias",
        before=SHIFTED,
        after=SHIFTED + BARRIER + "AscendC::Sub(ub_.scores, ub_.keys, ub_.bias, Count(ub_.all));",
    ),
    Gate(
        name="bias-ignored",
        before=SHIFTED,
        after="AscendC::Adds(ub_.keys, ub_.scores, 0.0f, Count(ub_.all));",
    ),
    Choice(
        name="bias-ignored-in-groups-alone",
        before="ub.keys[first], ub.numbers[first], ub.work",
        after="ub.scores[first], ub.numbers[first], ub.work",
    ),
    Gate(
        name="divided-by-the-sum-of-all-experts",
        before=SUMMED,
        after=SUMMED.replace("weights", "ub_.scores").replace("k_", "ub_.all"),
        modes=DIVIDED,
    ),
    Gate(
        name="last-of-the-chosen-outside-the-sum",
        before=SUMMED,
        after=SUMMED.replace("k_", "k_ - (k_ > 1)"),
        modes=DIVIDED,
    ),
    Gate(
        name="sigmoid-is-not-divided",
        before="tiling_->normalises != 0",
        after="tiling_->normalises != 0 && tiling_->normType != 1",
        modes=(SIGMOID,),
    ),
    Gate(
        name="factor-lost-after-a-division",
        before=WEIGHED,
        after=WEIGHED.replace(
            "tiling_->factor", "tiling_->normalises != 0 ? 1.0f : tiling_->factor"
        ),
        modes=DIVIDED,
    ),
    Gate(
        name="factor-lost-without-a-division",
        before=WEIGHED,
        after=WEIGHED.replace(
            "tiling_->factor", "tiling_->normalises != 0 ? tiling_->factor : 1.0f"
        ),
        modes=(SOFTMAX,),
    ),
    Gate(
        name="eps-lost",
        before="AscendC::Adds(sum, sum, tiling_->eps, 1);",
        after="AscendC::Adds(sum, sum, 0.0f, 1);",
        modes=DIVIDED,
    ),
    Gate(
        name="eps-twice",
        before="AscendC::Adds(sum, sum, tiling_->eps, 1);",
        after="AscendC::Adds(sum, sum, 2.0f * tiling_->eps, 1);",
        modes=DIVIDED,
    ),
    Gate(
        name="eps-of-1e-6-at-least",
        before="AscendC::Adds(sum, sum, tiling_->eps, 1);",
        after="AscendC::Adds(sum, sum, tiling_->eps < 1e-6f ? 1e-6f : tiling_->eps, 1);",
        modes=DIVIDED,
    ),
    Choice(
        name="groups-by-their-largest-alone",
        before="if (byTwo) {",
        after="if (byTwo && lanes == 0) {",
    ),
    Choice(
        name="groups-by-their-two-largest-always",
        before="if (byTwo) {",
        after="if (byTwo || lanes > 0) {",
    ),
    Choice(name="other-groups-filled-with-0", before=KEPT, after=FILLED),
    Choice(
        name="one-group-too-few",
        before=KEPT,
        after=KEPT.replace("place < kept", "place < kept - (kept > 1)"),
    ),
    Gate(
        name="groups-ignored",
        before="KeepBest(ub_, tiling_->keptGroups,",
        after="KeepBest(ub_, ub_.groups,",
    ),
    Choice(
        name="padding-may-be-chosen",
        before=MEMBERS,
        after=MEMBERS.replace("ub.members", "ub.perGroup"),
    ),
    Choice(
        name="last-of-a-group-is-never-chosen",
        before=MEMBERS,
        after=MEMBERS.replace("ub.members", "ub.members - (ub.members > 1)"),
    ),
    Choice(
        name="experts-numbered-in-their-group",
        before="Count(group * ub.members), 1,",
        after="0, 1,",
    ),
    Choice(
        name="weights-of-the-experts-behind",
        before="AscendC::Gather(weights, ub.scores, Bits(ub.work), 0, count);",
        after="AscendC::Gather(weights, ub.scores, Bits(ub.work), LANE_STEP, count);",
    ),
    Lanes(
        name="padding-of-0",
        before="Fill(to, -Infinity(), all);",
        after="Fill(to, 0.0f, all);",
        modes=(SOFTMAX, RENORM),
    ),
    Gate(
        name="scores-of-the-first-row-for-all",
        before="ub_.Load(ub_.scores, x_[first]);",
        after="ub_.Load(ub_.scores, x_[0]);",
    ),
    Gate(
        name="scores-of-all-rows-stored-in-the-first",
        before="Store(result_, first, ub_.scores,",
        after="Store(result_, 0, ub_.scores,",
    ),
    TRUNCATED,
    Mutant(
        name="middles-rounded-away-from-zero",
        file=STEPS,
        before="RoundMode::CAST_RINT",
        after="RoundMode::CAST_ROUND",
        dtypes=HALF,
        documented=True,
    ),
    Scores(
        name="no-maximum-subtracted",
        before="-ValueOf(ub.work), count);",
        after="0.0f * ValueOf(ub.work), count);",
        modes=(SOFTMAX, RENORM),
    ),
    Scores(
        name="exp-of-a-short-reduction",
        before="AscendC::Exp(ub.scores, ub.scores, Count(ub.all));",
        after="AscendC::Muls(ub.scores, ub.scores, 1.0f + 0x1p-23f, Count(ub.all));\n"
        "    AscendC::PipeBarrier<PIPE_V>();\n"
        "    AscendC::Exp(ub.scores, ub.scores, Count(ub.all));",
        modes=(SOFTMAX,),
        dtypes=("float32",),
    ),
    Scores(
        name="sum-in-float16",
        before="Fill(ub.pairs, ValueOf(ub.work), ub.all);",
        after="Fill(ub.pairs, static_cast<float>(static_cast<half>(ValueOf(ub.work))), ub.all);",
        modes=(SOFTMAX,),
        dtypes=("float32",),
    ),
    Scores(
        name="last-expert-outside-the-sum",
        before="ub.scores, ub.work[BLOCK_FLOATS], count);\n    Fill(",
        after="ub.scores, ub.work[BLOCK_FLOATS],\n"
        "        Count(ub.FirstOf(ub.groups - 1) + ub.members - (ub.members > 1)));\n    Fill(",
        modes=(SOFTMAX,),
    ),
    Scores(
        name="no-root-of-a-softplus",
        before="AscendC::Sqrt(ub.scores, ub.scores, Count(ub.all));",
        after="AscendC::Adds(ub.scores, ub.scores, 0.0f, Count(ub.all));",
        modes=(SOFTPLUS,),
    ),
)
