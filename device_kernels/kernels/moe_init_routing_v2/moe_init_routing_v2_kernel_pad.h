// Drop/pad: zeros in the rows that no slot takes (../shared/routing/slot_places_kernel.h).
#ifndef MOE_INIT_ROUTING_V2_KERNEL_PAD_H
#define MOE_INIT_ROUTING_V2_KERNEL_PAD_H

#include "kernel_operator.h"
#include "../shared/routing/slot_counts_kernel.h"
#include "../shared/routing/slot_starts_kernel.h"
#include "moe_init_routing_v2_tiling.h"

namespace moe_init_routing_v2_kernel {

using namespace slot_counts;

// T stands for the bits of an element, all of which are 0 in a zero.
template <typename T>
class Filler {
public:
    __aicore__ inline void Init(GM_ADDR expandedX, GM_ADDR starts,
                                const __gm__ MoeInitRoutingV2TilingData* tiling, TPipe* pipe) {
        experts_ = tiling->counted.experts;
        capacity_ = tiling->capacity;
        hidden_ = tiling->slots.hidden;
        tileExperts_ = tiling->counted.tileEntries - 1;
        zeroElements_ = tiling->zeroBytes / static_cast<int64_t>(sizeof(T));
        starts_.Init(starts, tiling->counted.tileEntries, pipe);
        expandedX_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(expandedX));
        pipe->InitBuffer(zeroBuffer_, static_cast<uint32_t>(tiling->zeroBytes));
    }

    // This block's share of the rows, as far as no slot takes them.
    __aicore__ inline void Process() {
        const LocalTensor<T> zeros = zeroBuffer_.template Get<T>();
        AscendC::Duplicate(zeros, static_cast<T>(0), static_cast<int32_t>(zeroElements_));
        Order<HardEvent::V_MTE3>();
        const Share share(experts_ * capacity_);
        const int64_t endExpert = (share.end + capacity_ - 1) / capacity_;
        for (int64_t expert = share.first / capacity_; expert < endExpert; expert += tileExperts_) {
            const int64_t end = Least(expert + tileExperts_, endExpert);
            starts_.Load(expert, end - expert + 1);
            for (int64_t one = expert; one < end; ++one) {
                FillExpert(one, share);
            }
        }
    }

private:
    __aicore__ inline void FillExpert(int64_t expert, const Share& share) {
        const int64_t taken = Least(starts_.Of(expert + 1) - starts_.Of(expert), capacity_);
        const int64_t free = expert * capacity_ + taken;
        const int64_t first = free < share.first ? share.first : free;
        const int64_t end = Least((expert + 1) * capacity_, share.end) * hidden_;
        for (int64_t element = first * hidden_; element < end; element += zeroElements_) {
            const uint32_t bytes =
                static_cast<uint32_t>(Least(zeroElements_, end - element) * sizeof(T));
            AscendC::DataCopyPad(expandedX_[element], zeroBuffer_.template Get<T>(),
                                 DataCopyExtParams{1, bytes, 0, 0, 0});
        }
    }

    Starts starts_;
    GlobalTensor<T> expandedX_;
    TBuf<TPosition::VECCALC> zeroBuffer_;

    int64_t experts_;
    int64_t capacity_;
    int64_t hidden_;
    int64_t tileExperts_;
    int64_t zeroElements_;
};

}  // namespace moe_init_routing_v2_kernel

#endif
