// MoeTokenUnpermuteWithRoutingMap in Ascend C: a token is the sum of its permuted rows, each times
// the prob of its token and expert, if there are probs.
//
// Not padded, rows are named token by token, and added in fp32 from the first slot to the last. A
// slot without a row adds nothing, nor does one of probability zero. Padded, rows lie expert by
// expert and name their tokens: these are sorted, and the rows of each are added in their order,
// from +0.0 on. There a product has the type of the rows, unless the probs are wider; CANN adds
// rows of fp32 in any order. Sums are rounded once.

#include "kernel_operator.h"

#include <type_traits>

#include "../shared/rows/sorted_sum_kernel.h"
#include "../shared/slots/slot_sum_kernel.h"
#include "../shared/sorting/stable_sort_kernel.h"
#include "moe_token_unpermute_with_routing_map_kernel_lists.h"
#include "moe_token_unpermute_with_routing_map_tiling.h"

namespace moe_token_unpermute_with_routing_map_kernel {

using Tiling = MoeTokenUnpermuteWithRoutingMapTilingData;
using row_sum::Share;

struct Tensors {
    GM_ADDR permutedTokens;
    GM_ADDR sortedIndices;
    GM_ADDR routingMap;
    GM_ADDR probs;
    GM_ADDR unpermutedTokens;
    GM_ADDR outIndex;
    GM_ADDR permuteTokenId;
    GM_ADDR permuteProbs;
    GM_ADDR workspace;
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(uint16_t), uint16_t, uint32_t>;

__aicore__ inline Share ShareOf(int64_t count) {
    return row_sum::ShareOf(count, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
}

template <typename T, typename Weights>
__aicore__ inline void SumSlots(const Tensors& tensors, const __gm__ Tiling* tiling) {
    if (tiling->rows.hidden == 0) {
        return;
    }
    TPipe pipe;
    row_sum::SlotSum<T, Weights, row_sum::RankedRows> kernel;
    kernel.Init(tensors.permutedTokens, tensors.sortedIndices, tensors.unpermutedTokens,
                tiling->topK, &tiling->rows, &pipe, tensors.permuteProbs, {0});
    kernel.Process();
}

// The probs of a block's tokens are those that its own sum reads: no block waits for another.
template <typename T, typename Prob>
__aicore__ inline void SumWeightedSlots(const Tensors& tensors, const __gm__ Tiling* tiling) {
    using Bits = BitsOf<Prob>;
    const Share share = ShareOf(tiling->rows.tokens);
    const int64_t topK = tiling->topK;
    Write(tensors.permuteProbs, share.first * topK, share.end * topK, tiling->listBatch,
          MappedProbs<Bits>{gm::At<Bits>(tensors.probs),
                            {gm::At<uint8_t>(tensors.routingMap), tiling->experts, topK}});
    SumSlots<T, row_sum::SlotWeights<Prob>>(tensors, tiling);
}

// outIndex becomes the slots in the order of their tokens, and permuteTokenId these tokens.
__aicore__ inline void SortTokens(const Tensors& tensors, const __gm__ Tiling* tiling) {
    TPipe pipe;
    stable_sort::Sorter sorter;
    sorter.Init(&tiling->sort, tensors.workspace, tensors.workspace + tiling->pairsBytes, &pipe);
    sorter.ArgSort(gm::At<int32_t>(tensors.sortedIndices), gm::At<int32_t>(tensors.outIndex));
    pipe.Destroy();
    const Share share = ShareOf(tiling->slots);
    Write(tensors.permuteTokenId, share.first, share.end, tiling->listBatch,
          SortedTokens(tensors.sortedIndices, tensors.outIndex));
    AscendC::SyncAll();
}

template <typename T, typename Prob, typename Factor>
__aicore__ inline void SumSorted(const Tensors& tensors, const __gm__ Tiling* tiling) {
    if (tiling->rows.hidden == 0) {
        return;
    }
    TPipe pipe;
    SortedRows<Prob, Factor> entries;
    entries.Init(tensors.permuteTokenId, tensors.outIndex,
                 {gm::At<Prob>(tensors.probs), gm::At<int32_t>(tensors.sortedIndices),
                  tiling->experts, tiling->capacity});
    row_sum::SortedSum<T, SortedRows<Prob, Factor>> kernel;
    kernel.Init(tensors.permutedTokens, tensors.unpermutedTokens, &tiling->rows, &pipe, entries);
    kernel.Process();
}

template <typename T, typename Prob>
__aicore__ inline void SumWeightedSorted(const Tensors& tensors, const __gm__ Tiling* tiling) {
    using Bits = BitsOf<Prob>;
    constexpr bool isRounded = std::is_same_v<T, Prob> && !std::is_same_v<T, float>;
    const Share share = ShareOf(tiling->slots);
    Write(tensors.permuteProbs, share.first, share.end, tiling->listBatch,
          PaddedProbs<Bits>{gm::At<Bits>(tensors.probs), gm::At<int32_t>(tensors.sortedIndices),
                            tiling->experts, tiling->capacity});
    SumSorted<T, Prob, std::conditional_t<isRounded, row_sum::RoundedBy, float>>(tensors, tiling);
}

template <typename T, typename Prob>
__aicore__ inline void SumWeighted(const Tensors& tensors, const __gm__ Tiling* tiling) {
    return tiling->padded != 0 ? SumWeightedSorted<T, Prob>(tensors, tiling)
                               : SumWeightedSlots<T, Prob>(tensors, tiling);
}

template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    if (tiling->slots == 0) {
        return SumSorted<T, T, row_sum::One>(tensors, tiling);
    }
    if (tiling->padded != 0) {
        SortTokens(tensors, tiling);
    }
    if (tiling->probsDtype == tiling->dtype) {
        return SumWeighted<T, T>(tensors, tiling);
    }
    if constexpr (std::is_same_v<T, bfloat16_t>) {  // fp32 probs go with no other rows
        if (tiling->probsDtype == 0) {
            return SumWeighted<T, float>(tensors, tiling);
        }
    }
    return tiling->padded != 0 ? SumSorted<T, T, row_sum::One>(tensors, tiling)
                               : SumSlots<T, row_sum::NoWeights>(tensors, tiling);
}

}  // namespace moe_token_unpermute_with_routing_map_kernel

extern "C" __global__ __aicore__ void moe_token_unpermute_with_routing_map(
    GM_ADDR permutedTokens, GM_ADDR sortedIndices, GM_ADDR routingMap, GM_ADDR probs,
    GM_ADDR unpermutedTokens, GM_ADDR outIndex, GM_ADDR permuteTokenId, GM_ADDR permuteProbs,
    GM_ADDR workspace, GM_ADDR tiling) {
    // The hardware's SyncAll needs a kernel of the mixed type; no cube unit takes part.
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using moe_token_unpermute_with_routing_map_kernel::Run;
    const moe_token_unpermute_with_routing_map_kernel::Tensors tensors{
        permutedTokens, sortedIndices,  routingMap,   probs,    unpermutedTokens,
        outIndex,       permuteTokenId, permuteProbs, workspace};
    auto data = reinterpret_cast<const __gm__ MoeTokenUnpermuteWithRoutingMapTilingData*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float>(tensors, data);
        case 1:
            return Run<half>(tensors, data);
        case 27:
            return Run<bfloat16_t>(tensors, data);
    }
}
