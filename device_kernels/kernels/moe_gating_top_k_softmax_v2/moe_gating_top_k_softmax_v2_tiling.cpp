// Host tiling of MoeGatingTopKSoftmaxV2: whether it can be done, then the cut.

#include "moe_gating_top_k_softmax_v2_tiling.h"

#include "../shared/checks/tiling_checks.h"
#include "../shared/gating/gating_cut.h"

extern "C" int32_t MoeGatingTopKSoftmaxV2Tiling(const MoeGatingTopKSoftmaxV2Call* call,
                                                MoeGatingTopKSoftmaxV2TilingData* tiling,
                                                char* reason, uint64_t reasonBytes) {
    const int32_t status =
        tiling_checks::Answer(gating::Check(call->experts, call->k, call->ubBytes),
                              "host tiling of MoeGatingTopKSoftmaxV2", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        const bool hasResult = call->renorm == 0 && call->resultFlag != 0;
        *tiling = {call->renorm, hasResult ? 1 : 0,
                   gating::Cut(call->rows, call->experts, call->k, call->dtype, call->cores,
                               call->ubBytes)};
    }
    return status;
}

extern "C" int64_t MoeGatingTopKSoftmaxV2TilingLimit(const char* axis, int64_t topK,
                                                     int32_t /*dtype*/, uint32_t cores,
                                                     uint64_t ubBytes, int64_t hidden) {
    return gating::Limit(axis, topK, cores, ubBytes, hidden);
}
