// Values into the places where the routing map is true, zeros elsewhere: the n-th value goes to the
// n-th true place, counted expert by expert and within an expert token by token, while the output
// and the map lie token by token (../shared/routing_map_kernel.h). The values of one expert in one
// tile lie side by side.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_MASK_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_MASK_H

#include "kernel_operator.h"
#include "../shared/routing_map/routing_map_kernel.h"
#include "../shared/sorting/ordering_kernel.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"

namespace routing_map_grad_kernel {

using row_sum::Least;

// `Bits` is the unsigned integer of an element's size: values are moved, never computed with.
template <typename Bits>
class MaskedScatter : private routing_map::Walk {
public:
    __aicore__ inline void Init(GM_ADDR values, GM_ADDR map, GM_ADDR output, GM_ADDR scratch,
                                const __gm__ RoutingMapTiling* tiling, AscendC::TPipe* pipe) {
        Walk::Init(map, scratch, tiling, pipe);
        values_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(values));
        output_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(output));
        const int64_t elements = tileTokens_ * OutputPitch(tileExperts_);
        pipe->InitBuffer(outputBuffer_, static_cast<uint32_t>(elements * sizeof(Bits)));
        pipe->InitBuffer(valueBuffer_, static_cast<uint32_t>(tileTokens_ * sizeof(Bits)));
    }

    __aicore__ inline void Process() {
        CountAll();
        int64_t before = 0;
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            const int64_t experts = Least(tileExperts_, experts_ - expert);
            before = FindPlaces(expert, experts, before);
            for (int64_t token = share_.first; token < share_.end; token += tileTokens_) {
                FillTile(token, Least(tileTokens_, share_.end - token), expert, experts);
            }
        }
    }

private:
    __aicore__ inline static int64_t OutputPitch(int64_t experts) { return Pitch<Bits>(experts); }

    __aicore__ inline void FillTile(int64_t token, int64_t tokens, int64_t expert,
                                    int64_t experts) {
        AscendC::LocalTensor<Bits> output = outputBuffer_.template Get<Bits>();
        AscendC::LocalTensor<int32_t> places = placeBuffer_.Get<int32_t>();
        LoadMap(token, tokens, expert, experts);
        ordering::Order<AscendC::HardEvent::MTE3_V>();
        AscendC::Duplicate(output, static_cast<Bits>(0),
                           static_cast<int32_t>(tokens * OutputPitch(experts)));
        ordering::Order<AscendC::HardEvent::V_S>();
        for (int64_t i = 0; i < experts; ++i) {
            const int32_t count = CountTrue(i, tokens, experts);
            if (count > 0) {
                const uint32_t at = static_cast<uint32_t>(i);
                const int32_t place = places.GetValue(at);
                PlaceValues(place, count, i, tokens, experts);
                places.SetValue(at, place + count);
            }
        }
        ordering::Order<AscendC::HardEvent::S_MTE3>();
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(Bits));
        const uint32_t gap = static_cast<uint32_t>((experts_ - experts) * sizeof(Bits));
        AscendC::DataCopyPad(
            output_[token * experts_ + expert], output,
            AscendC::DataCopyExtParams{static_cast<uint16_t>(tokens), bytes, 0, gap, 0});
    }

    // `count` values from `place` on into the true places of one expert of the tile.
    __aicore__ inline void PlaceValues(int64_t place, int64_t count, int64_t expert, int64_t tokens,
                                       int64_t experts) {
        AscendC::LocalTensor<Bits> values = valueBuffer_.template Get<Bits>();
        AscendC::LocalTensor<Bits> output = outputBuffer_.template Get<Bits>();
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(Bits));
        ordering::Order<AscendC::HardEvent::S_MTE2>();
        AscendC::DataCopyPad(values, values_[place], AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<Bits>{});
        ordering::Order<AscendC::HardEvent::MTE2_S>();
        uint32_t value = 0;
        for (int64_t token = 0; token < tokens; ++token) {
            if (IsTrue(token, expert, experts)) {
                const int64_t at = token * OutputPitch(experts) + expert;
                output.SetValue(static_cast<uint32_t>(at), values.GetValue(value));
                ++value;
            }
        }
    }

    AscendC::GlobalTensor<Bits> values_;
    AscendC::GlobalTensor<Bits> output_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> outputBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> valueBuffer_;
};

}  // namespace routing_map_grad_kernel

#endif
