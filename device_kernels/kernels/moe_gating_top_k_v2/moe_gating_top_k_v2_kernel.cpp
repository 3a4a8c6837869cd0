// MoeGatingTopKV2 in Ascend C: MoeGatingTopK, or the experts of a table's rows and their weights
// (../shared/gating/group_gate_kernel.h).

#include "kernel_operator.h"
#include "../shared/gating/group_gate_kernel.h"
#include "moe_gating_top_k_v2_kernel_lookup.h"
#include "moe_gating_top_k_v2_tiling.h"

extern "C" __global__ __aicore__ void moe_gating_top_k_v2(GM_ADDR x, GM_ADDR bias, GM_ADDR inputIds,
                                                          GM_ADDR tid2eid, GM_ADDR y,
                                                          GM_ADDR expertIdx, GM_ADDR result,
                                                          GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ MoeGatingTopKV2TilingData*>(tiling);
    group_gating::Lookup lookup;
    lookup.Init(inputIds, tid2eid, data->inputIdBytes, data->expertIdBytes);
    group_gating::Run({x, bias, y, expertIdx, result}, lookup, &data->gating);
}
