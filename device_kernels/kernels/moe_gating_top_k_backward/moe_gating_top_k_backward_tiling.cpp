// Host tiling of MoeGatingTopKBackward: whether it can be done, then the cut.

#include "moe_gating_top_k_backward_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"

namespace {

constexpr int64_t kMostExperts = 2048;
constexpr int64_t kFewestExperts = 2;
constexpr int64_t kMostRows = 4095;
constexpr int64_t kGranule = 16;
constexpr int64_t kExpertBytes = 8;
constexpr int64_t kSlotBytes = 16;
constexpr int64_t kUnknownAxis = -1;

int64_t SlotBytes(int64_t k) { return kSlotBytes * row_sum::RoundUp(k, kGranule); }

int64_t RowBytes(int64_t experts, int64_t k) {
    return kExpertBytes * row_sum::RoundUp(experts, kGranule) + SlotBytes(k);
}

// Rows that fit, none if not even one does.
int64_t Batch(int64_t experts, int64_t k, int64_t ubBytes) {
    return std::min(ubBytes / RowBytes(experts, k), kMostRows);
}

}  // namespace

extern "C" int32_t MoeGatingTopKBackwardTiling(const MoeGatingTopKBackwardCall* call,
                                               MoeGatingTopKBackwardTilingData* tiling,
                                               char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(
        tiling_checks::CheckUb(call->ubBytes, RowBytes(call->experts, call->k),
                               " for k " + std::to_string(call->k) + " of " +
                                   std::to_string(call->experts) + " experts"),
        "host tiling of MoeGatingTopKBackward", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        const int64_t used = std::min(call->rows, call->cores);
        *tiling = {call->dtype,
                   used,
                   call->rows,
                   call->experts,
                   call->k,
                   std::min(row_sum::CeilDiv(call->rows, used),
                            Batch(call->experts, call->k, call->ubBytes)),
                   static_cast<float>(call->routedScalingFactor),
                   static_cast<float>(call->eps)};
    }
    return status;
}

extern "C" int64_t MoeGatingTopKBackwardTilingLimit(const char* axisName, int64_t topK,
                                                    int32_t /*dtype*/, uint32_t cores,
                                                    uint64_t ubBytes, int64_t hidden) {
    const std::string axis = axisName;
    const bool isOfRows = axis == "batch" || axis == "tokens";
    if (!isOfRows && axis != "ub-bytes" && axis != "experts" && axis != "cores") {
        return kUnknownAxis;
    }
    if (topK < 1 || topK > kMostExperts) {
        return 0;
    }
    constexpr uint64_t mostUb = kMostRows * (kExpertBytes + kSlotBytes) * kMostExperts;
    const auto ub = static_cast<int64_t>(std::min(ubBytes, mostUb));
    const int64_t least = RowBytes(std::max(topK, kFewestExperts), topK);
    if (axis == "ub-bytes") {
        return least;
    }
    if (ub < least) {
        return 0;
    }
    if (axis == "cores") {
        return cores;
    }
    const int64_t experts =
        std::min(row_sum::RoundDown((ub - SlotBytes(topK)) / kExpertBytes, kGranule), kMostExperts);
    if (!isOfRows) {
        return experts;
    }
    if (hidden < std::max(topK, kFewestExperts) || hidden > experts) {
        return 0;
    }
    return Batch(hidden, topK, ub) * (axis == "batch" ? 1 : cores);
}
