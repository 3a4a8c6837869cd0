// MoeFinalizeRoutingV2 in Ascend C: a token is the sum of its addends and of the rows of its
// experts, each of these with the bias of its expert and multiplied by its scale
// (../shared/finalize/finalize_sum_kernel.h).

#include "kernel_operator.h"
#include "../shared/finalize/finalize_kernel.h"
#include "moe_finalize_routing_v2_tiling.h"

extern "C" __global__ __aicore__ void moe_finalize_routing_v2(GM_ADDR expandedX,
                                                              GM_ADDR expandedRowIdx, GM_ADDR x1,
                                                              GM_ADDR x2, GM_ADDR bias,
                                                              GM_ADDR scales, GM_ADDR expertIdx,
                                                              GM_ADDR out, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeFinalizeRoutingV2TilingData*>(tiling);
    const finalize::Tensors tensors{expandedX, expandedRowIdx, x1,        x2,
                                    bias,      scales,         expertIdx, out};
    finalize::RunAny(finalize::Plain{tensors, data});
}
