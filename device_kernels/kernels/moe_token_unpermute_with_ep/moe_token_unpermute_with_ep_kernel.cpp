// MoeTokenUnpermuteWithEp in Ascend C: a token is the sum of those of its topK permuted rows whose
// ranks lie in a range, each multiplied by its probability where there are any, in fp32 from the
// first slot to the last and rounded once. Slots of other ranks, and those of probability zero, add
// nothing.

#include "kernel_operator.h"
#include "../shared/slots/weighed_sum_kernel.h"
#include "moe_token_unpermute_with_ep_tiling.h"

extern "C" __global__ __aicore__ void moe_token_unpermute_with_ep(GM_ADDR permutedTokens,
                                                                  GM_ADDR sortedIndices,
                                                                  GM_ADDR probs, GM_ADDR out,
                                                                  GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeTokenUnpermuteWithEpTilingData*>(tiling);
    weighed_sum::Run({permutedTokens, sortedIndices, probs, out}, data,
                     row_sum::RankedRows{data->firstRank});
}
