// MoeFinalizeRoutingV3 in Ascend C: MoeFinalizeRoutingV2, and experts of which no row is read
// (../shared/finalize/finalize_ranges_kernel.h).

#include "kernel_operator.h"
#include "../shared/finalize/finalize_kernel.h"
#include "moe_finalize_routing_v3_tiling.h"

extern "C" __global__ __aicore__ void moe_finalize_routing_v3(
    GM_ADDR expandedX, GM_ADDR expandedRowIdx, GM_ADDR x1, GM_ADDR x2, GM_ADDR bias, GM_ADDR scales,
    GM_ADDR expertIdx, GM_ADDR x, GM_ADDR alpha1, GM_ADDR alpha2, GM_ADDR v, GM_ADDR out,
    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeFinalizeRoutingV3TilingData*>(tiling);
    finalize::RunRanged({expandedX, expandedRowIdx, x1, x2, bias, scales, expertIdx, out},
                        {x, alpha1, alpha2, v}, data);
}
