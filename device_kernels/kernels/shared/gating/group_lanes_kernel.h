// The unified buffer of a core, and how experts of a row lie in it (group_tiling.h).
#ifndef GROUP_LANES_KERNEL_H
#define GROUP_LANES_KERNEL_H

#include "kernel_operator.h"
#include "gating_steps_kernel.h"
#include "group_tiling.h"

namespace group_gating {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using gating::BLOCK_FLOATS;
using gating::COMPARED_KEYS;
using gating::Fill;
using gating::Infinity;
using gating::ReplaceNan;
using gating::SORTED_KEYS;
using gating::Store;
using gating::ValueOf;
using ordering::Order;
using ordering::RoundUp;

constexpr int64_t LANE_BYTES = 32;

__aicore__ inline int32_t Count(int64_t count) { return static_cast<int32_t>(count); }

__aicore__ inline LocalTensor<uint32_t> Bits(const LocalTensor<float>& floats) {
    return floats.ReinterpretCast<uint32_t>();
}

__aicore__ inline LocalTensor<int32_t> Integers(const LocalTensor<float>& floats) {
    return floats.ReinterpretCast<int32_t>();
}

struct Lanes {
    __aicore__ inline void Init(const __gm__ GroupGatingTiling* tiling, TPipe* pipe) {
        groups = tiling->groups;
        members = tiling->experts / groups;
        perGroup = tiling->lanesPerGroup;
        all = groups * perGroup;
        pipe->InitBuffer(buffer, static_cast<uint32_t>(all * LANE_BYTES));
        scores = buffer.Get<float>();
        keys = scores[all];
        bias = scores[2 * all];  // behind keys: ReplaceNan may look at some of it
        numbers = scores[3 * all];
        pairs = scores[4 * all];
        work = scores[6 * all];
    }

    __aicore__ inline int64_t FirstOf(int64_t group) const { return group * perGroup; }

    // Units of 32 bytes from the last member of a group to the next group.
    template <typename Element>
    __aicore__ inline int64_t Gap() const {
        return gating::Gap<Element>(members, perGroup);
    }

    // The experts of a row become fp32 in their lanes, and -infinity lies behind each group.
    template <typename T>
    __aicore__ inline void Load(const LocalTensor<float>& to, const GlobalTensor<T>& row) {
        const LocalTensor<T> raw = pairs.template ReinterpretCast<T>();
        const DataCopyExtParams copy{static_cast<uint16_t>(groups),
                                     static_cast<uint32_t>(members * sizeof(T)), 0,
                                     static_cast<uint32_t>(Gap<T>()), 0};
        Order<HardEvent::V_MTE2>();
        AscendC::DataCopyPad(raw, row, copy, DataCopyPadExtParams<T>{});
        Fill(to, -Infinity(), all);
        Order<HardEvent::MTE2_V>();
        for (int64_t group = 0; group < groups; ++group) {
            const int64_t first = FirstOf(group);
            gating::Widen(to[first], raw[first], members);
        }
    }

    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> scores;
    LocalTensor<float> keys;
    LocalTensor<float> bias;
    LocalTensor<float> numbers;
    LocalTensor<float> pairs;
    LocalTensor<float> work;

    int64_t groups;
    int64_t members;
    int64_t perGroup;
    int64_t all;
};

}  // namespace group_gating

#endif
