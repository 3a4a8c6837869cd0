// Host tiling of MoeGatingTopK: whether it can be done, then the cut.

#include "moe_gating_top_k_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"

namespace {

using tiling_checks::Broken;
using tiling_checks::Reason;

constexpr int64_t kMostExperts = 2048;
constexpr int64_t kLaneBytes = 32;
constexpr int64_t kSortedAtOnce = 32;
constexpr int64_t kUnknownAxis = -1;

int64_t InSorts(int64_t experts) {
    return (experts + kSortedAtOnce - 1) / kSortedAtOnce * kSortedAtOnce;
}

int64_t MembersOf(const MoeGatingTopKCall& call) { return call.experts / call.groupCount; }

// Else every expert may be chosen: of all groups, or of groups of one expert each, of which the
// best are the best experts.
bool IsGrouped(const MoeGatingTopKCall& call) {
    return call.kGroup < call.groupCount && MembersOf(call) > 1;
}

int64_t GroupsOf(const MoeGatingTopKCall& call) { return IsGrouped(call) ? call.groupCount : 1; }

int64_t LanesPerGroup(const MoeGatingTopKCall& call) {
    return InSorts(call.experts / GroupsOf(call));
}

Reason CheckGroups(const MoeGatingTopKCall& call) {
    const std::string count = std::to_string(call.groupCount);
    if (call.experts % call.groupCount != 0) {
        return Broken("dim 1 of x", call.experts, "a multiple of groupCount, " + count);
    }
    const int64_t members = MembersOf(call);
    if (members <= call.groupSelectMode) {
        return Broken("the number of experts of a group", members,
                      std::to_string(call.groupSelectMode + 1) + " or more if groupSelectMode is " +
                          std::to_string(call.groupSelectMode));
    }
    if (call.k > call.kGroup * members) {
        return Broken("k", call.k,
                      "at most the experts of kGroup groups, " + std::to_string(call.kGroup) +
                          " * " + std::to_string(members));
    }
    // The document has it of every call, also if no group is left out.
    const int64_t mostGroups = kMostExperts / InSorts(members);
    if (call.groupCount > mostGroups) {
        return Broken("groupCount", call.groupCount,
                      "at most " + std::to_string(mostGroups) + " for groups of " +
                          std::to_string(members) + " experts");
    }
    return {};
}

Reason Check(const MoeGatingTopKCall& call) {
    const Reason wrong = CheckGroups(call);
    if (!wrong.empty()) {
        return wrong;
    }
    const int64_t groups = GroupsOf(call);
    return tiling_checks::CheckUb(
        call.ubBytes, kLaneBytes * groups * LanesPerGroup(call),
        " for " + std::to_string(call.experts) + " experts in " +
            (groups == 1 ? std::string("one group") : std::to_string(groups) + " groups"));
}

}  // namespace

extern "C" int32_t MoeGatingTopKTiling(const MoeGatingTopKCall* call,
                                       MoeGatingTopKTilingData* tiling, char* reason,
                                       uint64_t reasonBytes) {
    const int32_t status =
        tiling_checks::Answer(Check(*call), "host tiling of MoeGatingTopK", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        const bool isGrouped = IsGrouped(*call);
        tiling->dtype = call->dtype;
        tiling->usedCores = std::min(call->rows, call->cores);
        tiling->rows = call->rows;
        tiling->experts = call->experts;
        tiling->k = call->k;
        tiling->groups = GroupsOf(*call);
        tiling->keptGroups = isGrouped ? call->kGroup : 1;
        tiling->scoreByTwo = isGrouped ? call->groupSelectMode : 0;
        tiling->normType = call->normType;
        tiling->normalises = call->normType != 0 || call->renorm != 0 ? 1 : 0;
        tiling->hasResult = call->outFlag != 0 ? 1 : 0;
        tiling->lanesPerGroup = LanesPerGroup(*call);
        tiling->factor = static_cast<float>(call->routedScalingFactor);
        tiling->eps = static_cast<float>(call->eps);
    }
    return status;
}

extern "C" int64_t MoeGatingTopKTilingLimit(const char* axisName, int64_t topK, int32_t /*dtype*/,
                                            uint32_t cores, uint64_t ubBytes, int64_t /*hidden*/) {
    const std::string axis = axisName;
    if (axis != "ub-bytes" && axis != "experts" && axis != "cores") {
        return kUnknownAxis;
    }
    if (topK < 1 || topK > kMostExperts) {
        return 0;
    }
    const int64_t least = InSorts(topK);
    if (axis == "ub-bytes") {
        return kLaneBytes * least;
    }
    constexpr auto mostUb = static_cast<uint64_t>(kLaneBytes * kMostExperts);
    const auto lanes = static_cast<int64_t>(std::min(ubBytes, mostUb)) / kLaneBytes;
    if (lanes < least) {
        return 0;
    }
    return axis == "cores" ? cores : lanes / kSortedAtOnce * kSortedAtOnce;
}
