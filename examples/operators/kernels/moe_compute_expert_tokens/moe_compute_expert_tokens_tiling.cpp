#include "moe_compute_expert_tokens_tiling.h"

#include <algorithm>

namespace {

constexpr int64_t kBlockBytes = 32;  // granule of a copy to or from UB
constexpr int64_t kIdBytes = 4;
constexpr int64_t kBuffers = 2;  // one for ids, one for counts

int64_t CeilDiv(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

MoeComputeExpertTokensTilingData MoeComputeExpertTokensTiling(int64_t entries, int64_t experts,
                                                              int64_t cores, int64_t ubBytes) {
    // Without ids one core writes the zeros.
    const int64_t perCore = std::max<int64_t>(CeilDiv(entries, cores), 1);
    const int64_t elements = ubBytes / kBuffers / kBlockBytes * kBlockBytes / kIdBytes;
    return {std::max<int64_t>(CeilDiv(entries, perCore), 1),
            entries,
            experts,
            perCore,
            std::max<int64_t>(std::min(perCore, elements - 1), 0),
            std::min(experts, elements)};
}
