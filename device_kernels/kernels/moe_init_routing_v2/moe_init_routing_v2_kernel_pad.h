// Drop/pad: the place of every slot among the `capacity` rows of its expert, and zeros in the rows
// that no slot takes.
//
// A slot's place is its rank less the first one of its expert. From the capacity on it has none,
// which is said by -1; so it is with an index that is no expert's.
#ifndef MOE_INIT_ROUTING_V2_KERNEL_PAD_H
#define MOE_INIT_ROUTING_V2_KERNEL_PAD_H

#include "kernel_operator.h"
#include "../shared/routing/slot_counts_kernel.h"
#include "../shared/routing/slot_starts_kernel.h"
#include "moe_init_routing_v2_tiling.h"

namespace moe_init_routing_v2_kernel {

using namespace slot_counts;

class Placer {
public:
    // `rows` holds the ranks of the slots, which become their places.
    __aicore__ inline void Init(GM_ADDR expertIdx, GM_ADDR rows, GM_ADDR starts,
                                const __gm__ MoeInitRoutingV2TilingData* tiling, TPipe* pipe) {
        experts_ = tiling->counted.experts;
        capacity_ = tiling->capacity;
        tileEntries_ = tiling->counted.tileEntries;
        partSlots_ = tiling->counted.partSlots;
        starts_.Init(starts, tiling->counted.tileEntries, pipe);
        indices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(expertIdx));
        rows_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(rows));
        pipe->InitBuffer(indexBuffer_, IntegerBytes(partSlots_));
        pipe->InitBuffer(rowBuffer_, IntegerBytes(partSlots_));
    }

    // Slots [first, end). Their places are there for this block's own copies when it returns.
    __aicore__ inline void Process(int64_t first, int64_t end) {
        for (int64_t slot = first; slot < end; slot += partSlots_) {
            PlacePart(slot, Least(partSlots_, end - slot));
        }
    }

private:
    __aicore__ inline void PlacePart(int64_t slot, int64_t slots) {
        const LocalTensor<int32_t> indices = indexBuffer_.Get<int32_t>();
        const LocalTensor<int32_t> rows = rowBuffer_.Get<int32_t>();
        LoadIntegers(indices, indices_, slot, slots);
        LoadIntegers(rows, rows_, slot, slots);
        Order<HardEvent::MTE2_S>();
        DropStrangers(indices, rows, slots);
        for (int64_t expert = 0; expert < experts_; expert += tileEntries_) {
            const int64_t experts = Least(tileEntries_, experts_ - expert);
            starts_.Load(expert, experts);
            PlaceTile(indices, rows, slots, expert, experts);
        }
        Order<HardEvent::S_MTE3>();
        StoreIntegers(rows_, slot, rows, slots);
        Order<HardEvent::MTE3_MTE2>();
    }

    // Nobody checks indices before: one that is no expert's must not name a row.
    __aicore__ inline void DropStrangers(const LocalTensor<int32_t>& indices,
                                         const LocalTensor<int32_t>& rows, int64_t slots) {
        for (int64_t i = 0; i < slots; ++i) {
            const uint32_t at = static_cast<uint32_t>(i);
            const int64_t index = indices.GetValue(at);
            if (index < 0 || index >= experts_) {
                rows.SetValue(at, -1);
            }
        }
    }

    __aicore__ inline void PlaceTile(const LocalTensor<int32_t>& indices,
                                     const LocalTensor<int32_t>& rows, int64_t slots,
                                     int64_t expert, int64_t experts) {
        for (int64_t i = 0; i < slots; ++i) {
            const uint32_t at = static_cast<uint32_t>(i);
            const int64_t index = indices.GetValue(at);
            if (index < expert || index >= expert + experts) {
                continue;
            }
            // Indices from 2^24 on are sorted as fp32, so that a rank may be off there.
            const int64_t place = rows.GetValue(at) - starts_.Of(index);
            const bool isKept = place >= 0 && place < capacity_;
            rows.SetValue(at, static_cast<int32_t>(isKept ? index * capacity_ + place : -1));
        }
    }

    Starts starts_;
    GlobalTensor<int32_t> indices_;
    GlobalTensor<int32_t> rows_;
    TBuf<TPosition::VECCALC> indexBuffer_;
    TBuf<TPosition::VECCALC> rowBuffer_;

    int64_t experts_;
    int64_t capacity_;
    int64_t tileEntries_;
    int64_t partSlots_;
};

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
