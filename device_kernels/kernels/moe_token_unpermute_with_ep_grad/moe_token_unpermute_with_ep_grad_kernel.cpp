// MoeTokenUnpermuteWithEpGrad in Ascend C: gradients of permuted rows whose ranks lie in a range,
// and of all probabilities, or of rows alone where there are none
// (../shared/slots/weighed_grad_kernel.h). Of a slot of another rank the gradient of the
// probability is +0.0.

#include "kernel_operator.h"
#include "../shared/slots/weighed_grad_kernel.h"
#include "moe_token_unpermute_with_ep_grad_tiling.h"

extern "C" __global__ __aicore__ void moe_token_unpermute_with_ep_grad(
    GM_ADDR unpermutedTokensGrad, GM_ADDR sortedIndices, GM_ADDR permutedTokens, GM_ADDR probs,
    GM_ADDR permutedTokensGrad, GM_ADDR probsGrad, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const weighed_grad::Tensors tensors{permutedTokens,
                                        unpermutedTokensGrad,
                                        sortedIndices,
                                        probs,
                                        permutedTokensGrad,
                                        probsGrad,
                                        nullptr,
                                        nullptr};
    auto data = reinterpret_cast<const __gm__ MoeTokenUnpermuteWithEpGradTilingData*>(tiling);
    weighed_grad::Run(tensors, data, row_sum::RankedRows{data->firstRank});
}
