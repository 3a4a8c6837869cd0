// The slots of every expert, counted: as numbers, as cumulative sums, and with drop/pad also as the
// first rank of every expert.
//
// Cumulative sums of shares of the slots add up to those of all slots, so that cores count their
// shares and add what they have to the other cores' in global memory, in whatever order: integers
// do not round. An index that is no expert's is not counted; of the ranks it takes some, and below
// 0 the first ones.
#ifndef SLOT_COUNTS_KERNEL_H
#define SLOT_COUNTS_KERNEL_H

#include "kernel_operator.h"
#include "../sorting/ordering_kernel.h"
#include "slot_counts_tiling.h"

namespace slot_counts {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

constexpr int64_t BLOCK_BYTES = 32;
constexpr int64_t BLOCK_INTEGERS = 8;
constexpr int64_t CUMULATIVE = 1;  // SlotCountsTiling.counts
constexpr int64_t LOWEST_INDEX = -(1LL << 31);

__aicore__ inline uint32_t IntegerBytes(int64_t count) {
    return static_cast<uint32_t>(RoundUp(count, BLOCK_INTEGERS) * sizeof(int32_t));
}

__aicore__ inline void LoadIntegers(const LocalTensor<int32_t>& to,
                                    const GlobalTensor<int32_t>& from, int64_t first,
                                    int64_t count) {
    const uint32_t bytes = static_cast<uint32_t>(count * sizeof(int32_t));
    AscendC::DataCopyPad(to, from[first], DataCopyExtParams{1, bytes, 0, 0, 0},
                         DataCopyPadExtParams<int32_t>{});
}

__aicore__ inline void StoreIntegers(const GlobalTensor<int32_t>& to, int64_t first,
                                     const LocalTensor<int32_t>& from, int64_t count) {
    const uint32_t bytes = static_cast<uint32_t>(count * sizeof(int32_t));
    AscendC::DataCopyPad(to[first], from, DataCopyExtParams{1, bytes, 0, 0, 0});
}

// What falls to this block of so many, as evenly as whole ones can be.
struct Share {
    __aicore__ inline explicit Share(int64_t count) {
        const int64_t blocks = AscendC::GetBlockNum();
        const int64_t each = (count + blocks - 1) / blocks;
        first = Least(AscendC::GetBlockIdx() * each, count);
        end = Least(first + each, count);
    }

    int64_t first;
    int64_t end;
};

class Counter {
public:
    // `counts` may be null where none are wanted, and `starts` is so unless drop/pad needs them.
    __aicore__ inline void Init(GM_ADDR expertIdx, GM_ADDR counts, GM_ADDR starts,
                                const __gm__ SlotCountsTiling& tiling, TPipe* pipe) {
        experts_ = tiling.experts;
        countsKind_ = tiling.counts;
        tileEntries_ = tiling.tileEntries;
        partSlots_ = tiling.partSlots;
        hasStarts_ = starts != nullptr;
        indices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(expertIdx));
        counts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(counts));
        starts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(starts));
        pipe->InitBuffer(entryBuffer_, IntegerBytes(tileEntries_));
        pipe->InitBuffer(indexBuffer_, IntegerBytes(partSlots_));
    }

    // What cores add to begins with 0. Every block writes its share, and others may add when all
    // blocks have.
    __aicore__ inline void WriteZeros() {
        const LocalTensor<int32_t> zeros = entryBuffer_.Get<int32_t>();
        Clear(zeros, tileEntries_);
        Order<HardEvent::V_MTE3>();
        if (countsKind_ != 0) {
            WriteZerosTo(counts_, Share(experts_), zeros);
        }
        if (hasStarts_) {
            WriteZerosTo(starts_, Share(experts_ + 1), zeros);
        }
    }

    // Slots [firstSlot, endSlot) of all experts, added to what other blocks count.
    __aicore__ inline void AddSlots(int64_t firstSlot, int64_t endSlot) {
        if (firstSlot == endSlot) {
            return;
        }
        AscendC::SetAtomicAdd<int32_t>();
        Count(firstSlot, endSlot, 0, experts_ + (hasStarts_ ? 1 : 0));
        AscendC::SetAtomicNone();
    }

    // All slots, of this block's share of the experts.
    __aicore__ inline void CountShare(int64_t slots) {
        const Share share(experts_);
        Count(0, slots, share.first, share.end);
    }

private:
    __aicore__ inline void WriteZerosTo(const GlobalTensor<int32_t>& to, const Share& share,
                                        const LocalTensor<int32_t>& zeros) {
        for (int64_t entry = share.first; entry < share.end; entry += tileEntries_) {
            StoreIntegers(to, entry, zeros, Least(tileEntries_, share.end - entry));
        }
    }

    __aicore__ inline void Clear(const LocalTensor<int32_t>& entries, int64_t count) {
        AscendC::Duplicate(entries, 0, static_cast<int32_t>(RoundUp(count, BLOCK_INTEGERS)));
    }

    // Experts [first, end); with first ranks wanted, `experts_` itself stands for their end.
    __aicore__ inline void Count(int64_t firstSlot, int64_t endSlot, int64_t first, int64_t end) {
        for (int64_t expert = first; expert < end; expert += tileEntries_) {
            const int64_t entries = Least(tileEntries_, end - expert);
            StoreTile(expert, entries, CountTile(firstSlot, endSlot, expert, entries));
        }
    }

    // Returns how many slots have a lower index than the experts of this tile.
    __aicore__ inline int64_t CountTile(int64_t firstSlot, int64_t endSlot, int64_t expert,
                                        int64_t entries) {
        const LocalTensor<int32_t> numbers = entryBuffer_.Get<int32_t>();
        const LocalTensor<int32_t> indices = indexBuffer_.Get<int32_t>();
        const int64_t lowest = hasStarts_ ? LOWEST_INDEX : 0;
        int64_t lower = 0;
        Order<HardEvent::MTE3_V>();
        Clear(numbers, entries);
        Order<HardEvent::V_S>();
        for (int64_t slot = firstSlot; slot < endSlot; slot += partSlots_) {
            const int64_t slots = Least(partSlots_, endSlot - slot);
            Order<HardEvent::S_MTE2>();
            LoadIntegers(indices, indices_, slot, slots);
            Order<HardEvent::MTE2_S>();
            for (int64_t i = 0; i < slots; ++i) {
                const int64_t index = indices.GetValue(static_cast<uint32_t>(i));
                if (index >= expert && index < expert + entries) {
                    const uint32_t at = static_cast<uint32_t>(index - expert);
                    numbers.SetValue(at, numbers.GetValue(at) + 1);
                } else if (index >= lowest && index < expert) {
                    ++lower;
                }
            }
        }
        return lower;
    }

    // `lower`: how many slots have a lower index than the experts of this tile.
    __aicore__ inline void StoreTile(int64_t expert, int64_t entries, int64_t lower) {
        const LocalTensor<int32_t> numbers = entryBuffer_.Get<int32_t>();
        int64_t sum = lower;
        if (hasStarts_ && countsKind_ != 0) {
            Order<HardEvent::S_MTE3>();
            const int64_t experts = Least(entries, experts_ - expert);
            if (experts > 0) {
                StoreIntegers(counts_, expert, numbers, experts);
            }
            Order<HardEvent::MTE3_S>();
        }
        const bool isSummed = hasStarts_ || countsKind_ == CUMULATIVE;
        for (int64_t i = 0; isSummed && i < entries; ++i) {
            const uint32_t at = static_cast<uint32_t>(i);
            const int64_t after = sum + numbers.GetValue(at);
            numbers.SetValue(at, static_cast<int32_t>(hasStarts_ ? sum : after));
            sum = after;
        }
        Order<HardEvent::S_MTE3>();
        StoreIntegers(hasStarts_ ? starts_ : counts_, expert, numbers, entries);
    }

    GlobalTensor<int32_t> indices_;
    GlobalTensor<int32_t> counts_;
    GlobalTensor<int32_t> starts_;
    TBuf<TPosition::VECCALC> entryBuffer_;
    TBuf<TPosition::VECCALC> indexBuffer_;

    int64_t experts_;
    int64_t countsKind_;
    int64_t tileEntries_;
    int64_t partSlots_;
    bool hasStarts_;
};

}  // namespace slot_counts

#endif
