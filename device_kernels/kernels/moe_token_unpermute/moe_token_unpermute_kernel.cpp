// MoeTokenUnpermute in Ascend C: a token is the sum of its topK permuted rows, each multiplied by
// its probability, in fp32 from the first slot to the last and rounded once. Without probabilities
// it is its one row. Slots of rows that the permutation dropped, and those of probability zero, add
// nothing.

#include "kernel_operator.h"
#include "../shared/slots/weighed_sum_kernel.h"
#include "moe_token_unpermute_tiling.h"

extern "C" __global__ __aicore__ void moe_token_unpermute(GM_ADDR permutedTokens,
                                                          GM_ADDR sortedIndices, GM_ADDR probs,
                                                          GM_ADDR out, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeTokenUnpermuteTilingData*>(tiling);
    weighed_sum::Run({permutedTokens, sortedIndices, probs, out}, data, row_sum::NumberedRows{});
}
