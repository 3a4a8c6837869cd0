// MoeTokenPermuteWithEp in Ascend C: copies of tokens in the order of their experts, as far as
// these are in a range (../shared/slot_sort_kernel.h). With paddedMode indices name the row of
// every place already (moe_token_permute_with_ep_kernel_padded.h).

#include "kernel_operator.h"
#include "../shared/sorting/slot_sort_kernel.h"
#include "moe_token_permute_with_ep_kernel_padded.h"
#include "moe_token_permute_with_ep_tiling.h"

extern "C" __global__ __aicore__ void moe_token_permute_with_ep(
    GM_ADDR tokens, GM_ADDR indices, GM_ADDR probs, GM_ADDR permuteTokens, GM_ADDR sortedIndices,
    GM_ADDR permuteProbs, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using moe_token_permute_with_ep_kernel::RunPadded;
    using slot_copy::Run;
    const slot_copy::Tensors tensors{tokens,        indices,      probs,    permuteTokens,
                                     sortedIndices, permuteProbs, workspace};
    auto data = reinterpret_cast<const __gm__ MoeTokenPermuteWithEpTilingData*>(tiling);
    switch (data->key) {
        case 1000:
            return Run<int32_t, uint32_t>(tensors, &data->slots);
        case 1001:
            return Run<int32_t, uint16_t>(tensors, &data->slots);
        case 1010:
            return Run<int64_t, uint32_t>(tensors, &data->slots);
        case 1011:
            return Run<int64_t, uint16_t>(tensors, &data->slots);
        case 1100:
            return RunPadded<int32_t, uint32_t>(tensors, data);
        case 1101:
            return RunPadded<int32_t, uint16_t>(tensors, data);
        case 1110:
            return RunPadded<int64_t, uint32_t>(tensors, data);
        case 1111:
            return RunPadded<int64_t, uint16_t>(tensors, data);
    }
}
