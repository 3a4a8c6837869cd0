// Host tiling of MoeGatingTopKV2: whether it can be done, then the cut.

#include "moe_gating_top_k_v2_tiling.h"

#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/gating/group_cut.h"

namespace {

using tiling_checks::Broken;
using tiling_checks::Reason;

constexpr int64_t kMostLookedUp = 64;

Reason Check(const MoeGatingTopKV2Call& call) {
    Reason wrong = group_gating::Check(call);
    if (!wrong.empty() || call.inputIdBytes == 0) {
        return wrong;
    }
    if (call.k > kMostLookedUp) {
        return Broken("k", call.k,
                      "at most " + std::to_string(kMostLookedUp) +
                          " if inputIdsOptional and tid2eidOptional are given");
    }
    if (group_gating::IsGrouped(call)) {
        return Broken("kGroup", call.kGroup,
                      "groupCount, " + std::to_string(call.groupCount) +
                          ", if inputIdsOptional and tid2eidOptional are given");
    }
    return {};
}

}  // namespace

extern "C" int32_t MoeGatingTopKV2Tiling(const MoeGatingTopKV2Call* call,
                                         MoeGatingTopKV2TilingData* tiling, char* reason,
                                         uint64_t reasonBytes) {
    const int32_t status =
        tiling_checks::Answer(Check(*call), "host tiling of MoeGatingTopKV2", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = {call->inputIdBytes, call->expertIdBytes, group_gating::Cut(*call)};
    }
    return status;
}

extern "C" int64_t MoeGatingTopKV2TilingLimit(const char* axis, int64_t topK, int32_t /*dtype*/,
                                              uint32_t cores, uint64_t ubBytes,
                                              int64_t /*hidden*/) {
    return group_gating::Limit(axis, topK, cores, ubBytes);
}
