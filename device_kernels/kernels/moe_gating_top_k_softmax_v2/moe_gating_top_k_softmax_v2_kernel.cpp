// MoeGatingTopKSoftmaxV2 in Ascend C: the k best of the softmax of each row, or the softmax of its
// k best (../shared/gating/gating_kernel.h).

#include "kernel_operator.h"
#include "../shared/gating/gating_kernel.h"
#include "moe_gating_top_k_softmax_v2_tiling.h"

extern "C" __global__ __aicore__ void moe_gating_top_k_softmax_v2(GM_ADDR x, GM_ADDR finished,
                                                                  GM_ADDR y, GM_ADDR expertIdx,
                                                                  GM_ADDR softmaxResult,
                                                                  GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeGatingTopKSoftmaxV2TilingData*>(tiling);
    const gating::Tensors tensors{
        x, finished, y, expertIdx, nullptr, data->hasResult != 0 ? softmaxResult : nullptr};
    gating::Run(tensors, data->renorm != 0, &data->gating);
}
