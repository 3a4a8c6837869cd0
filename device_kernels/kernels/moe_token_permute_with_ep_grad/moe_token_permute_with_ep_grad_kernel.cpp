// MoeTokenPermuteWithEpGrad in Ascend C: the gradient of a token is the sum of the gradients of
// those of its topK permuted rows whose ranks lie in a range, added in fp32 from the first slot to
// the last and rounded once. The gradient of a slot's probability is that of its permuted one, or
// zero where its rank lies outside.

#include "kernel_operator.h"

#include <type_traits>

#include "../shared/slots/slot_gather_kernel.h"
#include "../shared/slots/slot_rows_kernel.h"
#include "../shared/slots/slot_sum_kernel.h"
#include "moe_token_permute_with_ep_grad_tiling.h"

namespace moe_token_permute_with_ep_grad_kernel {

using row_sum::RankedRows;
using Tiling = MoeTokenPermuteWithEpGradTilingData;

// The two of probabilities may be null where there are none.
struct Tensors {
    GM_ADDR permutedTokensOutputGrad;
    GM_ADDR sortedIndices;
    GM_ADDR permutedProbsOutputGrad;
    GM_ADDR tokenGrad;
    GM_ADDR probsGrad;
};

template <typename T>
__aicore__ inline void MoveProbs(const Tensors& tensors, const __gm__ Tiling* tiling) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint16_t>;
    AscendC::TPipe pipe;
    slot_gather::SlotGather<Bits, RankedRows> kernel;
    kernel.Init(tensors.permutedProbsOutputGrad, tiling->rows.sourceRows, tensors.sortedIndices,
                tensors.probsGrad, &tiling->probs, RankedRows{tiling->firstRank}, &pipe);
    kernel.Process();
    pipe.Destroy();
}

template <typename T>
__aicore__ inline void SumTokens(const Tensors& tensors, const __gm__ Tiling* tiling) {
    AscendC::TPipe pipe;
    row_sum::SlotSum<T, row_sum::NoWeights, RankedRows> kernel;
    kernel.Init(tensors.permutedTokensOutputGrad, tensors.sortedIndices, tensors.tokenGrad,
                tiling->topK, &tiling->rows, &pipe, nullptr, RankedRows{tiling->firstRank});
    kernel.Process();
}

template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    if (tiling->probs.slots > 0) {
        MoveProbs<T>(tensors, tiling);
    }
    if (tiling->rows.hidden > 0) {
        SumTokens<T>(tensors, tiling);
    }
}

}  // namespace moe_token_permute_with_ep_grad_kernel

extern "C" __global__ __aicore__ void moe_token_permute_with_ep_grad(
    GM_ADDR permutedTokensOutputGrad, GM_ADDR sortedIndices, GM_ADDR permutedProbsOutputGrad,
    GM_ADDR tokenGrad, GM_ADDR probsGrad, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using moe_token_permute_with_ep_grad_kernel::Run;
    const moe_token_permute_with_ep_grad_kernel::Tensors tensors{
        permutedTokensOutputGrad, sortedIndices, permutedProbsOutputGrad, tokenGrad, probsGrad};
    auto data = reinterpret_cast<const __gm__ MoeTokenPermuteWithEpGradTilingData*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float>(tensors, data);
        case 1:
            return Run<half>(tensors, data);
        case 27:
            return Run<bfloat16_t>(tensors, data);
    }
}
