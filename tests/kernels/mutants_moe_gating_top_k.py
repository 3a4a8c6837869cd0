"""Seeded mistakes for the MoeGatingTopK kernel: small edits that a suite must catch."""

from __future__ import annotations

from functools import partial

from tests.kernels.gating_mistakes import TRUNCATED
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

MUTANTS: tuple[Mutant, ...] = (
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
    Scores(
        name="no-maximum-subtracted",
        before="-ValueOf(ub.work), count);",
        after="0.0f * ValueOf(ub.work), count);",
        modes=(SOFTMAX, RENORM),
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
