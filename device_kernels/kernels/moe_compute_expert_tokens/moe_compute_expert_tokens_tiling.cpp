// Host tiling of MoeComputeExpertTokens: whether it can be done, then the cut.

#include "moe_compute_expert_tokens_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"

namespace {

using row_sum::kBlockBytes;

constexpr int64_t kWordBytes = 4;
constexpr int64_t kWords = 3;  // of an entry
constexpr int64_t kLanes = 64;
constexpr int64_t kGranule = kBlockBytes / kWordBytes;
constexpr int64_t kFixedBytes = RESULTS * kWordBytes + kBlockBytes;
constexpr int64_t kLeastUb = kFixedBytes + (kWords + 1) * kBlockBytes;

// The sums of 64 entries take whole blocks beside the entries: one for each 512.
int64_t TileEntries(int64_t ubBytes) {
    const int64_t left = ubBytes - kFixedBytes;
    const int64_t each = kLanes * kGranule;
    const int64_t bytesEach = each * kWords * kWordBytes + kBlockBytes;
    const int64_t rest = std::max<int64_t>(left % bytesEach - kBlockBytes, 0);
    return left / bytesEach * each + row_sum::RoundDown(rest / (kWords * kWordBytes), kGranule);
}

bool IsByEntries(int64_t entries, int64_t experts) {
    constexpr int64_t few = 12000, fewExperts = 256;
    const bool isException = entries == 65536 && experts == 8;
    return entries > few && experts <= fewExperts && !isException;
}

}  // namespace

extern "C" int32_t MoeComputeExpertTokensTiling(const MoeComputeExpertTokensCall* call,
                                                MoeComputeExpertTokensTilingData* tiling,
                                                char* reason, uint64_t reasonBytes) {
    const int32_t status =
        tiling_checks::Answer(tiling_checks::CheckUb(call->ubBytes, kLeastUb),
                              "host tiling of MoeComputeExpertTokens", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        const bool isByEntries = IsByEntries(call->entries, call->experts);
        const int64_t whole = isByEntries ? call->entries : call->experts;
        const int64_t share = row_sum::CeilDiv(whole, call->cores);
        *tiling = {row_sum::CeilDiv(whole, share), call->entries, call->experts, isByEntries, share,
                   TileEntries(call->ubBytes)};
    }
    return status;
}

extern "C" int64_t MoeComputeExpertTokensTilingLimit(const char* axisName, int64_t /*topK*/,
                                                     int32_t /*dtype*/, uint32_t /*cores*/,
                                                     uint64_t ubBytes, int64_t /*hidden*/) {
    const std::string axis = axisName;
    if (axis == "ub-bytes") {
        return kLeastUb;
    }
    const bool isEnough = ubBytes >= static_cast<uint64_t>(kLeastUb);
    return axis != "batch" ? -1 : isEnough ? TileEntries(static_cast<int64_t>(ubBytes)) : 0;
}
