// MoeTokenPermuteWithRoutingMap in Ascend C: copies of tokens in the order of the experts that a
// map routes them to. First it is found where the copies go, then the rows are moved: each token's
// to the ranks of its slots, or with dropAndPad each row of the output from the token it names.

#include "kernel_operator.h"
#include "../shared/rows/row_gather_kernel.h"
#include "../shared/slots/slot_copy_kernel.h"
#include "moe_token_permute_with_routing_map_kernel_pad.h"
#include "moe_token_permute_with_routing_map_kernel_place.h"
#include "moe_token_permute_with_routing_map_kernel_rank.h"
#include "moe_token_permute_with_routing_map_tiling.h"

namespace moe_token_permute_with_routing_map_kernel {

// Ends for all blocks at the same time: each copies rows to or from places that others found.
template <typename Places>
__aicore__ inline void Find(const Tensors& tensors, const __gm__ Tiling* tiling) {
    AscendC::TPipe pipe;
    Places places;
    places.Init(tensors, tiling, &pipe);
    places.Process();
    pipe.Destroy();
    AscendC::SyncAll();
}

template <typename T>
__aicore__ inline void Rank(const Tensors& tensors, const __gm__ Tiling* tiling) {
    Find<Ranker<T>>(tensors, tiling);
    AscendC::TPipe pipe;
    slot_copy::Copier<T> copier;
    copier.Init(tensors, &tiling->slots, &pipe);
    copier.Process();
}

template <typename T>
__aicore__ inline void Pad(const Tensors& tensors, const __gm__ Tiling* tiling) {
    Find<Padder<T>>(tensors, tiling);
    AscendC::TPipe pipe;
    slot_copy::RowGather<int32_t, T> rows;
    rows.Init(tensors.tokens, tensors.sortedIndices, tensors.permuteTokens, &tiling->slots, &pipe);
    rows.Process();
}

}  // namespace moe_token_permute_with_routing_map_kernel

extern "C" __global__ __aicore__ void moe_token_permute_with_routing_map(
    GM_ADDR tokens, GM_ADDR routingMap, GM_ADDR probs, GM_ADDR permuteTokens, GM_ADDR permuteProbs,
    GM_ADDR sortedIndices, GM_ADDR workspace, GM_ADDR tiling) {
    // The hardware's SyncAll needs a kernel of the mixed type; no cube unit takes part.
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using moe_token_permute_with_routing_map_kernel::Pad;
    using moe_token_permute_with_routing_map_kernel::Rank;
    const slot_copy::Tensors tensors{tokens,        routingMap,   probs,    permuteTokens,
                                     sortedIndices, permuteProbs, workspace};
    auto data = reinterpret_cast<const __gm__ MoeTokenPermuteWithRoutingMapTilingData*>(tiling);
    switch (data->key) {
        case 1000:
            return Rank<uint32_t>(tensors, data);
        case 1001:
            return Rank<uint16_t>(tensors, data);
        case 1100:
            return Pad<uint32_t>(tensors, data);
        case 1101:
            return Pad<uint16_t>(tensors, data);
    }
}
