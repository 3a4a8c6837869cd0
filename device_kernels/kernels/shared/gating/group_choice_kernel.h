// The choice of experts of a row by their keys, of its best groups if there are several.
//
// All lanes are sorted by key, each with its number. Sorting is stable, so that of equal keys the
// lower expert goes first. Lanes of groups that are not kept, and those behind a group, have the
// number -1: they are left out of the sorted ones, whatever their keys are. No key would do for
// that, as an expert's own may be -infinity.
//
// No document tells the place of a NaN in the order. So none is sorted: it counts as infinity.
#ifndef GROUP_CHOICE_KERNEL_H
#define GROUP_CHOICE_KERNEL_H

#include "kernel_operator.h"
#include "group_lanes_kernel.h"

namespace group_gating {

constexpr float NO_NUMBER = -1.0f;
constexpr int32_t LANE_STEP = 4;   // bytes from one lane to the next
constexpr int32_t PAIR_BYTES = 8;  // of a key and its number
constexpr uint8_t REPEAT_BLOCKS = 8;

// Keys and numbers become sorted pairs. `temporary` has room for as many pairs.
__aicore__ inline void SortInto(const LocalTensor<float>& pairs, const LocalTensor<float>& keys,
                                const LocalTensor<float>& numbers,
                                const LocalTensor<float>& temporary, int64_t count) {
    const int32_t repeats = Count(count / SORTED_KEYS);
    LocalTensor<float> sorted;
    AscendC::Concat(sorted, keys, temporary, repeats);
    AscendC::Sort<float, true>(pairs, sorted, Bits(numbers), temporary, repeats);
    AscendC::PipeBarrier<PIPE_V>();
}

// The members of a group may be chosen.
__aicore__ inline void Keep(const Lanes& ub, int64_t group) {
    const int32_t first = Count(ub.FirstOf(group));
    AscendC::ArithProgression(ub.numbers[first], static_cast<float>(first), 1.0f,
                              Count(ub.members));
    AscendC::PipeBarrier<PIPE_V>();
}

// The scores of the groups: their greatest keys, or the sums of their two greatest ones.
__aicore__ inline void ScoreGroups(const Lanes& ub, bool byTwo, const LocalTensor<float>& scores,
                                   const LocalTensor<float>& seconds,
                                   const LocalTensor<float>& offsets, int64_t lanes) {
    for (int64_t group = 0; group < ub.groups; ++group) {
        const int64_t first = ub.FirstOf(group);
        SortInto(ub.pairs[2 * first], ub.keys[first], ub.numbers[first], ub.work, ub.perGroup);
    }
    const auto groups = static_cast<uint32_t>(ub.groups);
    Fill(scores, -Infinity(), lanes);
    // The scalar unit begins a progression.
    Order<HardEvent::V_S>();
    AscendC::ArithProgression(Integers(offsets), 0, Count(ub.perGroup) * PAIR_BYTES, Count(lanes));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Gather(scores, ub.pairs, Bits(offsets), 0, groups);
    AscendC::PipeBarrier<PIPE_V>();
    if (byTwo) {
        AscendC::Gather(seconds, ub.pairs, Bits(offsets), PAIR_BYTES, groups);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(scores, scores, seconds, Count(ub.groups));
        AscendC::PipeBarrier<PIPE_V>();
    }
    ReplaceNan(scores, Infinity(), ub.pairs, lanes);
}

// Two groups or more have 64 lanes or more, so that all of this is in `work`.
__aicore__ inline void KeepBest(const Lanes& ub, int64_t kept, bool byTwo) {
    const int64_t lanes = RoundUp(ub.groups, SORTED_KEYS);
    const LocalTensor<float> scores = ub.work;
    const LocalTensor<float> groups = ub.work[lanes];  // behind scores, as bias is behind keys
    const LocalTensor<float> other = ub.work[2 * lanes];
    ScoreGroups(ub, byTwo, scores, other, groups, lanes);
    // The scalar unit begins a progression.
    Order<HardEvent::V_S>();
    AscendC::ArithProgression(Integers(groups), 0, 1, Count(lanes));
    AscendC::PipeBarrier<PIPE_V>();
    SortInto(ub.pairs, scores, groups, other, lanes);
    AscendC::Extract(scores, Bits(groups), ub.pairs, Count(lanes / SORTED_KEYS));
    Order<HardEvent::V_S>();
    for (int64_t place = 0; place < kept; ++place) {
        Keep(ub, Integers(groups).GetValue(static_cast<uint32_t>(place)));
    }
    Order<HardEvent::S_V>();
}

// The numbers of the lanes that may be chosen come to be the first of the result, the best ahead.
__aicore__ inline LocalTensor<float> Ordered(const Lanes& ub) {
    const LocalTensor<float> sorted = ub.work;
    const LocalTensor<float> found = ub.pairs[ub.all];
    SortInto(ub.pairs, ub.keys, ub.numbers, ub.work, ub.all);
    AscendC::Extract(ub.keys, Bits(sorted), ub.pairs, Count(ub.all / SORTED_KEYS));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::CompareScalar(ub.pairs.ReinterpretCast<uint8_t>(), sorted, 0.0f, AscendC::CMPMODE::GE,
                           static_cast<uint32_t>(RoundUp(ub.all, COMPARED_KEYS)));
    AscendC::PipeBarrier<PIPE_V>();
    uint64_t count = 0;
    AscendC::GatherMask(found, sorted, Bits(ub.pairs), true, static_cast<uint32_t>(ub.all),
                        {1, 1, REPEAT_BLOCKS, REPEAT_BLOCKS}, count);
    AscendC::PipeBarrier<PIPE_V>();
    return found;
}

// The k best experts: their scores are left in `weights`, their ids in `ids`.
__aicore__ inline void Choose(const Lanes& ub, int64_t k, const LocalTensor<float>& weights,
                              const LocalTensor<int32_t>& ids) {
    const LocalTensor<float> best = Ordered(ub);
    const LocalTensor<int32_t> offsets = Integers(ub.work);
    const LocalTensor<int32_t> experts = Integers(ub.keys);
    const auto count = static_cast<uint32_t>(k);
    AscendC::Muls(best, best, static_cast<float>(LANE_STEP), Count(k));
    // The scalar unit begins a progression.
    Order<HardEvent::V_S>();
    for (int64_t group = 0; group < ub.groups; ++group) {
        AscendC::ArithProgression(experts[ub.FirstOf(group)], Count(group * ub.members), 1,
                                  Count(ub.members));
    }
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Cast(offsets, best, RoundMode::CAST_RINT, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Gather(weights, ub.scores, Bits(ub.work), 0, count);
    AscendC::Gather(ids, experts, Bits(ub.work), 0, count);
    AscendC::PipeBarrier<PIPE_V>();
}

}  // namespace group_gating

#endif
