// Lists beside the rows: probs in the order of the slots, and tokens in rising order. An element is
// read from an input by the scalar unit, alone, and a batch of them is copied out of the unified
// buffer (UB).
#ifndef MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_KERNEL_LISTS_H
#define MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_KERNEL_LISTS_H

#include "kernel_operator.h"

#include <type_traits>

#include "../shared/routing/slot_counts_kernel.h"
#include "../shared/routing_map/mapped_experts_kernel.h"
#include "../shared/rows/address_kernel.h"
#include "../shared/rows/row_sum_kernel.h"
#include "../shared/slots/slot_weights_kernel.h"
#include "../shared/sorting/ordering_kernel.h"

namespace moe_token_unpermute_with_routing_map_kernel {

using AscendC::DataCopyExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using ordering::Least;
using ordering::Order;
using slot_counts::LoadIntegers;

// Probs are moved by their bits. Padded: slots lie expert by expert, `capacity` to each, and name
// their tokens.
template <typename Bits>
struct PaddedProbs {
    using Element = Bits;

    __aicore__ inline void Room(int64_t, TPipe*) {}
    __aicore__ inline void Load(int64_t, int64_t) {}
    __aicore__ inline Bits At(int64_t slot, uint32_t) {
        const int64_t token = tokens.GetValue(static_cast<uint64_t>(slot));
        return probs.GetValue(static_cast<uint64_t>(token * experts + slot / capacity));
    }

    GlobalTensor<Bits> probs;
    GlobalTensor<int32_t> tokens;
    int64_t experts;
    int64_t capacity;
};

// Not padded: those of a token's true places in the map, then zeros.
template <typename Bits>
struct MappedProbs {
    using Element = Bits;

    __aicore__ inline void Room(int64_t, TPipe*) {}
    __aicore__ inline void Load(int64_t, int64_t) {}
    __aicore__ inline Bits At(int64_t slot, uint32_t) {
        const int64_t expert = slots.Of(slot);
        const int64_t place = slot / slots.topK * slots.experts + expert;
        return expert < slots.experts ? probs.GetValue(static_cast<uint64_t>(place)) : Bits{0};
    }

    GlobalTensor<Bits> probs;
    routing_map::MappedExperts slots;
};

// The tokens that slots name, in the order of the slots.
class SortedTokens {
public:
    using Element = int32_t;

    __aicore__ inline SortedTokens(GM_ADDR tokens, GM_ADDR order)
        : tokens_(gm::At<int32_t>(tokens)), order_(gm::At<int32_t>(order)) {}

    __aicore__ inline void Room(int64_t slots, TPipe* pipe) {
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(slots * sizeof(int32_t)));
    }
    __aicore__ inline void Load(int64_t first, int64_t count) {
        Order<HardEvent::S_MTE2>();
        LoadIntegers(buffer_.Get<int32_t>(), order_, first, count);
        Order<HardEvent::MTE2_S>();
    }
    __aicore__ inline int32_t At(int64_t, uint32_t place) {
        const int64_t slot = buffer_.Get<int32_t>().GetValue(place);
        return tokens_.GetValue(static_cast<uint64_t>(slot));
    }

private:
    GlobalTensor<int32_t> tokens_;
    GlobalTensor<int32_t> order_;
    TBuf<TPosition::VECCALC> buffer_;
};

// Elements [first, end) of a list. They are there for this block's own copies when it returns.
template <typename Source>
__aicore__ inline void Write(GM_ADDR list, int64_t first, int64_t end, int64_t batch,
                             Source source) {
    using Element = typename Source::Element;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, static_cast<uint32_t>(batch * sizeof(Element)));
    source.Room(batch, &pipe);
    const GlobalTensor<Element> output = gm::At<Element>(list);
    const LocalTensor<Element> values = buffer.template Get<Element>();
    for (int64_t at = first; at < end; at += batch) {
        const int64_t count = Least(batch, end - at);
        source.Load(at, count);
        for (int64_t i = 0; i < count; ++i) {
            const uint32_t place = static_cast<uint32_t>(i);
            values.SetValue(place, source.At(at + i, place));
        }
        Order<HardEvent::S_MTE3>();
        AscendC::DataCopyPad(
            output[at], values,
            DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(Element)), 0, 0, 0});
        Order<HardEvent::MTE3_S>();
    }
    pipe.Destroy();
}

// Entries of sorted_sum_kernel.h: tokens in rising order, beside each its row, whose factor is the
// prob of its token and expert, or One without probs.
template <typename Prob, typename Factor>
class SortedRows {
public:
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR rows, const PaddedProbs<Prob>& probs) {
        tokens_ = gm::At<int32_t>(tokens);
        rows_ = gm::At<int32_t>(rows);
        probs_ = probs;
    }
    __aicore__ inline void Room(int64_t entries, TPipe* pipe) {
        const uint32_t bytes = static_cast<uint32_t>(entries * sizeof(int32_t));
        pipe->InitBuffer(tokenBuffer_, bytes);
        pipe->InitBuffer(rowBuffer_, bytes);
    }
    __aicore__ inline void Load(int64_t entry, int64_t count) {
        LoadIntegers(tokenBuffer_.Get<int32_t>(), tokens_, entry, count);
        LoadIntegers(rowBuffer_.Get<int32_t>(), rows_, entry, count);
    }

    __aicore__ inline int64_t TokenAt(uint32_t place) {
        return tokenBuffer_.Get<int32_t>().GetValue(place);
    }
    __aicore__ inline int64_t RowAt(uint32_t place) {
        return rowBuffer_.Get<int32_t>().GetValue(place);
    }
    __aicore__ inline Factor FactorAt(uint32_t place) {
        if constexpr (std::is_same_v<Factor, row_sum::One>) {
            return {};
        } else {
            return Factor{row_sum::Wide(probs_.At(RowAt(place), place))};
        }
    }

private:
    GlobalTensor<int32_t> tokens_;
    GlobalTensor<int32_t> rows_;
    PaddedProbs<Prob> probs_;
    TBuf<TPosition::VECCALC> tokenBuffer_;
    TBuf<TPosition::VECCALC> rowBuffer_;
};

}  // namespace moe_token_unpermute_with_routing_map_kernel

#endif
