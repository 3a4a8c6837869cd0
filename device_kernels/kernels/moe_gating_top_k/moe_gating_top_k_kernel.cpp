// MoeGatingTopK in Ascend C: the k best experts of each row by score and bias, and their weights
// (../shared/gating/group_gate_kernel.h).

#include "kernel_operator.h"
#include "../shared/gating/group_gate_kernel.h"
#include "moe_gating_top_k_tiling.h"

extern "C" __global__ __aicore__ void moe_gating_top_k(GM_ADDR x, GM_ADDR bias, GM_ADDR y,
                                                       GM_ADDR expertIdx, GM_ADDR result,
                                                       GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeGatingTopKTilingData*>(tiling);
    group_gating::Run({x, bias, y, expertIdx, result}, group_gating::NoLookup{}, &data->gating);
}
