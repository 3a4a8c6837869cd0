// What is made of slots beside their rows: keys of the sort, slots by rank as row indices, and how
// many slots the experts of the range have.
#ifndef MOE_INIT_ROUTING_V3_KERNEL_SLOTS_H
#define MOE_INIT_ROUTING_V3_KERNEL_SLOTS_H

#include "kernel_operator.h"
#include "../shared/routing/routed_rows_kernel.h"
#include "../shared/routing/slot_starts_kernel.h"
#include "moe_init_routing_v3_tiling.h"

namespace moe_init_routing_v3_kernel {

using namespace routed_rows;

using Tiling = const __gm__ MoeInitRoutingV3TilingData;

constexpr int64_t CUMULATIVE = 0;  // MoeInitRoutingV3TilingData.countsType
constexpr int64_t PAIRS = 2;

// Integers of global memory, part by part through UB, perhaps changed there.
class Parts {
public:
    __aicore__ inline void Init(GM_ADDR from, GM_ADDR to, Tiling* tiling, TPipe* pipe) {
        firstExpert_ = tiling->firstExpert;
        experts_ = tiling->counted.experts;
        partSlots_ = tiling->counted.partSlots;
        from_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(from));
        to_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(to));
        pipe->InitBuffer(buffer_, slot_counts::IntegerBytes(partSlots_));
    }

    // An expert becomes its place in the range, or the place behind it.
    __aicore__ inline void CopyKeys(const row_sum::Share& share) { Copy<true>(share); }

    __aicore__ inline void CopyAsTheyAre(const row_sum::Share& share) { Copy<false>(share); }

private:
    template <bool AS_KEYS>
    __aicore__ inline void Copy(const row_sum::Share& share) {
        const LocalTensor<int32_t> part = buffer_.Get<int32_t>();
        for (int64_t at = share.first; at < share.end; at += partSlots_) {
            const int64_t count = Least(partSlots_, share.end - at);
            slot_counts::LoadIntegers(part, from_, at, count);
            if (AS_KEYS) {
                Order<HardEvent::MTE2_S>();
                MakeKeys(part, count);
                Order<HardEvent::S_MTE3>();
            } else {
                Order<HardEvent::MTE2_MTE3>();
            }
            slot_counts::StoreIntegers(to_, at, part, count);
            Order<HardEvent::MTE3_MTE2>();
        }
    }

    __aicore__ inline void MakeKeys(const LocalTensor<int32_t>& part, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
            const uint32_t at = static_cast<uint32_t>(i);
            const int64_t place = part.GetValue(at) - firstExpert_;
            const bool isActive = place >= 0 && place < experts_;
            part.SetValue(at, static_cast<int32_t>(isActive ? place : experts_));
        }
    }

    GlobalTensor<int32_t> from_;
    GlobalTensor<int32_t> to_;
    TBuf<TPosition::VECCALC> buffer_;

    int64_t firstExpert_;
    int64_t experts_;
    int64_t partSlots_;
};

// Numbers of slots, their cumulative sums, or pairs of an expert with slots and their number.
class Numbers {
public:
    __aicore__ inline void Init(GM_ADDR counts, GM_ADDR starts, Tiling* tiling, TPipe* pipe) {
        firstExpert_ = tiling->firstExpert;
        experts_ = tiling->counted.experts;
        tileExperts_ = tiling->counted.tileEntries - 1;
        type_ = tiling->countsType;
        elements_ = type_ == PAIRS ? 2 * tiling->experts : experts_;
        counts_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(counts));
        starts_.Init(starts, tiling->counted.tileEntries, pipe);
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(2 * tileExperts_ * sizeof(int64_t)));
    }

    __aicore__ inline void Process() {
        int64_t written = 0;
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            const int64_t experts = Least(tileExperts_, experts_ - expert);
            starts_.Load(expert, experts + 1);
            written += Store(written, Fill(expert, experts));
            Order<HardEvent::MTE3_S>();
        }
        if (written == elements_) {
            return;
        }
        Order<HardEvent::MTE3_V>();
        AscendC::Duplicate(buffer_.Get<int32_t>(), 0, static_cast<int32_t>(4 * tileExperts_));
        Order<HardEvent::V_MTE3>();
        while (written < elements_) {
            written += Store(written, Least(2 * tileExperts_, elements_ - written));
        }
    }

private:
    // Returns how many elements the experts of a tile have.
    __aicore__ inline int64_t Fill(int64_t first, int64_t experts) {
        const LocalTensor<int64_t> numbers = buffer_.Get<int64_t>();
        uint32_t filled = 0;
        for (int64_t expert = first; expert < first + experts; ++expert) {
            const int64_t end = starts_.Of(expert + 1);
            const int64_t count = end - starts_.Of(expert);
            if (type_ != PAIRS) {
                numbers.SetValue(filled++, type_ == CUMULATIVE ? end : count);
            } else if (count > 0) {
                numbers.SetValue(filled++, firstExpert_ + expert);
                numbers.SetValue(filled++, count);
            }
        }
        Order<HardEvent::S_MTE3>();
        return filled;
    }

    __aicore__ inline int64_t Store(int64_t first, int64_t count) {
        if (count > 0) {
            const uint32_t bytes = static_cast<uint32_t>(count * sizeof(int64_t));
            AscendC::DataCopyPad(counts_[first], buffer_.Get<int64_t>(),
                                 DataCopyExtParams{1, bytes, 0, 0, 0});
        }
        return count;
    }

    GlobalTensor<int64_t> counts_;
    slot_counts::Starts starts_;
    TBuf<TPosition::VECCALC> buffer_;

    int64_t firstExpert_;
    int64_t experts_;
    int64_t tileExperts_;
    int64_t type_;
    int64_t elements_;
};

}  // namespace moe_init_routing_v3_kernel

#endif
