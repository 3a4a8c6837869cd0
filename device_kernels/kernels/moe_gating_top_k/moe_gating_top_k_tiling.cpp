// Host tiling of MoeGatingTopK: whether it can be done, then the cut.

#include "moe_gating_top_k_tiling.h"

#include "../shared/checks/tiling_checks.h"
#include "../shared/gating/group_cut.h"

extern "C" int32_t MoeGatingTopKTiling(const MoeGatingTopKCall* call,
                                       MoeGatingTopKTilingData* tiling, char* reason,
                                       uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(
        group_gating::Check(*call), "host tiling of MoeGatingTopK", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        tiling->gating = group_gating::Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeGatingTopKTilingLimit(const char* axis, int64_t topK, int32_t /*dtype*/,
                                            uint32_t cores, uint64_t ubBytes, int64_t /*hidden*/) {
    return group_gating::Limit(axis, topK, cores, ubBytes);
}
