// Host tiling of MoeGatingTopKSoftmax: whether it can be done, then the cut.

#include "moe_gating_top_k_softmax_tiling.h"

#include "../shared/checks/tiling_checks.h"
#include "../shared/gating/gating_cut.h"

extern "C" int32_t MoeGatingTopKSoftmaxTiling(const MoeGatingTopKSoftmaxCall* call,
                                              MoeGatingTopKSoftmaxTilingData* tiling, char* reason,
                                              uint64_t reasonBytes) {
    tiling_checks::Reason broken = gating::CheckPlaces(call->rows, call->k);
    if (broken.empty()) {
        broken = gating::Check(call->experts, call->k, call->ubBytes);
    }
    const int32_t status =
        tiling_checks::Answer(broken, "host tiling of MoeGatingTopKSoftmax", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        tiling->gating = gating::Cut(call->rows, call->experts, call->k, call->dtype, call->cores,
                                     call->ubBytes);
    }
    return status;
}

extern "C" int64_t MoeGatingTopKSoftmaxTilingLimit(const char* axis, int64_t topK,
                                                   int32_t /*dtype*/, uint32_t cores,
                                                   uint64_t ubBytes, int64_t hidden) {
    return gating::Limit(axis, topK, cores, ubBytes, hidden);
}
