// The host's part of a choice of experts by group (group_tiling.h): whether it can be done, then
// the cut. A call is that of an operator, with the fields of MoeGatingTopKCall at least.
#ifndef GROUP_CUT_H
#define GROUP_CUT_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../checks/tiling_checks.h"
#include "group_tiling.h"

namespace group_gating {

using tiling_checks::Broken;
using tiling_checks::Reason;

inline constexpr int64_t kMostExperts = 2048;
inline constexpr int64_t kLaneBytes = 32;
inline constexpr int64_t kSortedAtOnce = 32;
inline constexpr int64_t kUnknownAxis = -1;

inline int64_t InSorts(int64_t experts) {
    return (experts + kSortedAtOnce - 1) / kSortedAtOnce * kSortedAtOnce;
}

template <typename Call>
int64_t MembersOf(const Call& call) {
    return call.experts / call.groupCount;
}

// Else every expert may be chosen: of all groups, or of groups of one expert each, of which the
// best are the best experts.
template <typename Call>
bool IsGrouped(const Call& call) {
    return call.kGroup < call.groupCount && MembersOf(call) > 1;
}

template <typename Call>
int64_t GroupsOf(const Call& call) {
    return IsGrouped(call) ? call.groupCount : 1;
}

template <typename Call>
int64_t LanesPerGroup(const Call& call) {
    return InSorts(call.experts / GroupsOf(call));
}

template <typename Call>
Reason CheckGroups(const Call& call) {
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

template <typename Call>
Reason Check(const Call& call) {
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

// Of a call that has passed the checks.
template <typename Call>
GroupGatingTiling Cut(const Call& call) {
    const bool isGrouped = IsGrouped(call);
    return {call.dtype,
            std::min(call.rows, call.cores),
            call.rows,
            call.experts,
            call.k,
            GroupsOf(call),
            isGrouped ? call.kGroup : 1,
            isGrouped ? call.groupSelectMode : 0,
            call.normType,
            call.normType != 0 || call.renorm != 0 ? 1 : 0,
            call.outFlag != 0 ? 1 : 0,
            LanesPerGroup(call),
            static_cast<float>(call.routedScalingFactor),
            static_cast<float>(call.eps)};
}

// The limits that the operators export (moe_gating_top_k_tiling.h).
inline int64_t Limit(const std::string& axis, int64_t topK, int64_t cores, uint64_t ubBytes) {
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

}  // namespace group_gating

#endif
