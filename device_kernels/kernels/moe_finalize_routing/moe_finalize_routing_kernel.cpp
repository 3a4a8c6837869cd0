// MoeFinalizeRouting in Ascend C: the sums of MoeFinalizeRoutingV2
// (../shared/finalize/finalize_sum_kernel.h), with its tensors in another order.

#include "kernel_operator.h"
#include "../shared/finalize/finalize_kernel.h"
#include "moe_finalize_routing_tiling.h"

extern "C" __global__ __aicore__ void moe_finalize_routing(GM_ADDR expandedX, GM_ADDR x1,
                                                           GM_ADDR x2, GM_ADDR bias, GM_ADDR scales,
                                                           GM_ADDR expandedRowIdx,
                                                           GM_ADDR expandedExpertIdx, GM_ADDR out,
                                                           GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeFinalizeRoutingTilingData*>(tiling);
    const finalize::Tensors tensors{expandedX, expandedRowIdx,    x1, x2, bias,
                                    scales,    expandedExpertIdx, out};
    finalize::RunAny(finalize::Plain{tensors, data});
}
