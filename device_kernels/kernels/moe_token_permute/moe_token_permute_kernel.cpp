// MoeTokenPermute in Ascend C: copies of tokens in the order of their experts, as many of the first
// as numOutTokens keeps (../shared/slot_sort_kernel.h).

#include "kernel_operator.h"
#include "../shared/sorting/slot_sort_kernel.h"
#include "moe_token_permute_tiling.h"

extern "C" __global__ __aicore__ void moe_token_permute(GM_ADDR tokens, GM_ADDR indices,
                                                        GM_ADDR permuteTokens,
                                                        GM_ADDR sortedIndices, GM_ADDR workspace,
                                                        GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using slot_copy::Run;
    const slot_copy::Tensors tensors{tokens,        indices, nullptr,  permuteTokens,
                                     sortedIndices, nullptr, workspace};
    auto data = reinterpret_cast<const __gm__ MoeTokenPermuteTilingData*>(tiling);
    switch (data->key) {
        case 1000:
            return Run<int32_t, uint32_t>(tensors, &data->slots);
        case 1001:
            return Run<int32_t, uint16_t>(tensors, &data->slots);
        case 1002:
            return Run<int32_t, uint8_t>(tensors, &data->slots);
        case 1010:
            return Run<int64_t, uint32_t>(tensors, &data->slots);
        case 1011:
            return Run<int64_t, uint16_t>(tensors, &data->slots);
        case 1012:
            return Run<int64_t, uint8_t>(tensors, &data->slots);
    }
}
