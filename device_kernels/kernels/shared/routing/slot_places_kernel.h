// The place of every slot among the `capacity` rows of its expert.
//
// A slot's place is its rank less the first one of its expert. From the capacity on it has none,
// which is said by -1; so it is with an index that is no expert's. Without a capacity a slot of an
// expert keeps its rank.
#ifndef SLOT_PLACES_KERNEL_H
#define SLOT_PLACES_KERNEL_H

#include "kernel_operator.h"
#include "slot_counts_kernel.h"
#include "slot_starts_kernel.h"

namespace slot_counts {

class Placer {
public:
    // `rows` holds the ranks of the slots, which become their places.
    __aicore__ inline void Init(GM_ADDR expertIdx, GM_ADDR rows, GM_ADDR starts, int64_t capacity,
                                const __gm__ SlotCountsTiling& tiling, TPipe* pipe) {
        experts_ = tiling.experts;
        capacity_ = capacity;
        tileEntries_ = tiling.tileEntries;
        partSlots_ = tiling.partSlots;
        starts_.Init(starts, tiling.tileEntries, pipe);
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
        for (int64_t expert = 0; capacity_ > 0 && expert < experts_; expert += tileEntries_) {
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

}  // namespace slot_counts

#endif
