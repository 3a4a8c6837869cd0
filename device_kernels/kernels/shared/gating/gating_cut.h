// The host's part of a softmax with the k best experts of each row (gating_tiling.h).
#ifndef GATING_CUT_H
#define GATING_CUT_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "../checks/tiling_checks.h"
#include "../sorting/stable_sort_cut.h"
#include "gating_tiling.h"

namespace gating {

using stable_sort::kBytesPerKey;
using stable_sort::kSortedAtOnce;

inline constexpr int64_t kMostK = 1024;
inline constexpr int64_t kUnknownAxis = -1;

inline int64_t InSorts(int64_t experts) {
    return stable_sort::CeilDiv(experts, kSortedAtOnce) * kSortedAtOnce;
}

// The fewest lanes for k of more experts than these lanes.
inline int64_t LeastLanes(int64_t k) { return InSorts(k) + kSortedAtOnce; }

inline tiling_checks::Reason Check(int64_t experts, int64_t k, int64_t ubBytes) {
    const int64_t least = std::min(InSorts(experts), LeastLanes(k));
    return tiling_checks::CheckUb(
        ubBytes, kBytesPerKey * least,
        " for k " + std::to_string(k) + " of " + std::to_string(experts) + " experts");
}

// The places of all chosen experts are numbered in an int32.
inline tiling_checks::Reason CheckPlaces(int64_t rows, int64_t k) {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    return rows <= most / k ? tiling_checks::Reason{}
                            : tiling_checks::Broken("the number of rows", rows,
                                                    "at most " + std::to_string(most / k) +
                                                        " for k " + std::to_string(k));
}

// Of a call that has passed the checks.
inline GatingTiling Cut(int64_t rows, int64_t experts, int64_t k, int64_t dtype, int64_t cores,
                        int64_t ubBytes) {
    const int64_t used = std::min(rows, cores);
    const int64_t rowsAtOnce = experts <= kSortedAtOnce ? stable_sort::CeilDiv(rows, used) : 1;
    const int64_t lanes = std::min(rowsAtOnce * InSorts(experts), stable_sort::LargestRun(ubBytes));
    return {dtype, used, rows, experts, k, lanes};
}

// The limits that the operators export (moe_gating_top_k_softmax_v2_tiling.h).
inline int64_t Limit(const std::string& axis, int64_t k, int64_t cores, uint64_t ubBytes,
                     int64_t experts) {
    if (axis == "cores") {
        return cores;
    }
    const auto isAxis = [&axis](const char* name) { return axis == name; };
    constexpr const char* axes[] = {"ub-bytes",   "pieces-ub-bytes", "experts",
                                    "two-pieces", "batch",           "tokens"};
    if (std::none_of(std::begin(axes), std::end(axes), isAxis)) {
        return kUnknownAxis;
    }
    if (k < 1 || k > kMostK) {
        return 0;
    }
    if (axis.ends_with("ub-bytes")) {
        return kBytesPerKey * (axis == "ub-bytes" ? InSorts(k) : LeastLanes(k));
    }
    constexpr int64_t mostKeys = stable_sort::kMostRepeats * kSortedAtOnce;
    const auto usedUb =
        static_cast<int64_t>(std::min(ubBytes, static_cast<uint64_t>(kBytesPerKey * mostKeys)));
    const int64_t lanes = stable_sort::LargestRun(usedUb);
    if (lanes < InSorts(k)) {
        return 0;
    }
    const bool hasPieces = lanes >= LeastLanes(k);
    if (axis == "experts") {
        return lanes;
    }
    if (axis == "two-pieces") {
        return hasPieces ? 2 * lanes - InSorts(k) : lanes;
    }
    if (experts < k || (experts > lanes && !hasPieces)) {
        return 0;
    }
    const int64_t batch = experts <= kSortedAtOnce ? lanes / kSortedAtOnce : 1;
    return axis == "batch" ? batch : batch * cores;
}

}  // namespace gating

#endif
