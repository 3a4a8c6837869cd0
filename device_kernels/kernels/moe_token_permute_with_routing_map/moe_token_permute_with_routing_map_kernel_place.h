// Where the copies of tokens go: the first job of MoeTokenPermuteWithRoutingMap, which fills in
// sortedIndices and, where there are probs, moves those of the copies.
//
// The copies of an expert lie side by side, and among them those of earlier tokens first. So a
// token's copy for an expert has the rank of its place among all true places of the map, counted
// expert by expert (../shared/routing_map_kernel.h); nothing is sorted. With dropAndPad, an expert
// has `capacity` rows: of the tokens that its column of the map selects, then of the others, each
// in their order and as far as there is room.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_PLACE_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_PLACE_H

#include "kernel_operator.h"
#include "../shared/routing_map/routing_map_kernel.h"
#include "../shared/slots/slot_copy_kernel.h"
#include "moe_token_permute_with_routing_map_tiling.h"

namespace moe_token_permute_with_routing_map_kernel {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using ordering::Least;
using ordering::Order;

using Tensors = slot_copy::Tensors;  // its indices are the routing map
using Tiling = MoeTokenPermuteWithRoutingMapTilingData;

// What both modes do with the true places of an expert in a tile. `Bits` is the unsigned integer of
// a probability's size: nothing is computed with it.
template <typename Bits>
class Placer : protected routing_map::Walk {
protected:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ Tiling* tiling,
                                int64_t indices, AscendC::TPipe* pipe) {
        Walk::Init(tensors.indices, tensors.workspace, &tiling->map, pipe);
        rows_ = tiling->slots.endRank;
        hasProbs_ = tiling->hasProbs != 0;
        probs_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(tensors.probs));
        permuteProbs_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(tensors.permuteProbs));
        sortedIndices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.sortedIndices));
        pipe->InitBuffer(indexBuffer_, static_cast<uint32_t>(indices * sizeof(int32_t)));
        if (hasProbs_) {
            const int64_t elements = tileTokens_ * Pitch<Bits>(tileExperts_);
            pipe->InitBuffer(probBuffer_, static_cast<uint32_t>(elements * sizeof(Bits)));
            pipe->InitBuffer(valueBuffer_, static_cast<uint32_t>(tileTokens_ * sizeof(Bits)));
        }
    }

    // The map waits for the copies of both.
    __aicore__ inline void LoadTile(int64_t token, int64_t tokens, int64_t expert,
                                    int64_t experts) {
        if (hasProbs_) {
            const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(Bits));
            const uint32_t gap = static_cast<uint32_t>((experts_ - experts) * sizeof(Bits));
            Order<HardEvent::S_MTE2>();
            AscendC::DataCopyPad(probBuffer_.template Get<Bits>(),
                                 probs_[token * experts_ + expert],
                                 DataCopyExtParams{static_cast<uint16_t>(tokens), bytes, gap, 0, 0},
                                 DataCopyPadExtParams<Bits>{});
        }
        LoadMap(token, tokens, expert, experts);
    }

    __aicore__ inline int64_t PlaceOf(int64_t expert) {
        return placeBuffer_.Get<uint32_t>().GetValue(static_cast<uint32_t>(expert));
    }

    __aicore__ inline void SetPlace(int64_t expert, int64_t place) {
        placeBuffer_.Get<uint32_t>().SetValue(static_cast<uint32_t>(expert),
                                              static_cast<uint32_t>(place));
    }

    __aicore__ inline Bits ProbOf(int64_t token, int64_t expert, int64_t experts) {
        const int64_t at = token * Pitch<Bits>(experts) + expert;
        return probBuffer_.template Get<Bits>().GetValue(static_cast<uint32_t>(at));
    }

    // `elements` side by side, as far as they are before `end`. The scalar unit wrote them.
    template <typename Element>
    __aicore__ inline static void Store(const GlobalTensor<Element>& to, int64_t first, int64_t end,
                                        const LocalTensor<Element>& elements, int64_t count) {
        const int64_t kept = Least(count, end - first);
        if (kept > 0) {
            const uint32_t bytes = static_cast<uint32_t>(kept * sizeof(Element));
            Order<HardEvent::S_MTE3>();
            AscendC::DataCopyPad(to[first], elements, DataCopyExtParams{1, bytes, 0, 0, 0});
        }
    }

    GlobalTensor<Bits> probs_;
    GlobalTensor<Bits> permuteProbs_;
    GlobalTensor<int32_t> sortedIndices_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> indexBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> probBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> valueBuffer_;
    int64_t rows_;
    bool hasProbs_;
};

}  // namespace moe_token_permute_with_routing_map_kernel

#endif
