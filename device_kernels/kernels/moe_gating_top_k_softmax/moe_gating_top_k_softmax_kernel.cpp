// MoeGatingTopKSoftmax in Ascend C: the k best of the softmax of each row
// (../shared/gating/gating_kernel.h).

#include "kernel_operator.h"
#include "../shared/gating/gating_kernel.h"
#include "moe_gating_top_k_softmax_tiling.h"

extern "C" __global__ __aicore__ void moe_gating_top_k_softmax(GM_ADDR x, GM_ADDR finished,
                                                               GM_ADDR y, GM_ADDR expertIdx,
                                                               GM_ADDR rowIdx, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeGatingTopKSoftmaxTilingData*>(tiling);
    const gating::Tensors tensors{x, finished, y, expertIdx, rowIdx, nullptr};
    gating::Run(tensors, /*choosesFirst=*/false, &data->gating);
}
