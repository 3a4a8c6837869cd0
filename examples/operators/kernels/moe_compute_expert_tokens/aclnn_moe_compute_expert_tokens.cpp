// MoeComputeExpertTokens in two phases, as aclnn and as kernel entry.
#include <cstdio>

#include "aclrtlaunch_moe_compute_expert_tokens.h"
#include "moe_compute_expert_tokens_tiling.h"
#include "two_phase.h"

namespace {

constexpr int64_t kMostExperts = 2048;

struct Kernel : entry::Operator<Kernel, MoeComputeExpertTokensTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "MoeComputeExpertTokens document, parameters",
            {entry::In("sortedExperts", entry::kInt32, {"entries"}),
             entry::Number("numExperts", "experts").Between(1, kMostExperts),
             entry::Out("out", entry::kInt32, {"experts"})}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason, uint64_t bytes) {
        *tiling = MoeComputeExpertTokensTiling(call.Shape("sortedExperts").values[0],
                                               call.Number("numExperts"),
                                               call.machine().vectorCores, call.machine().ubBytes);
        if (tiling->tileEntries == 0) {
            std::snprintf(reason, bytes, "the unified buffer holds no tile of ids");
            return ACLNN_ERR_INNER_TILING_ERROR;
        }
        return ACLNN_SUCCESS;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_compute_expert_tokens(at.cores, at.stream, at["sortedExperts"],
                                                     at["out"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeComputeExpertTokens,
              (const aclTensor* sortedExperts, int64_t numExperts, const aclTensor* out),
              sortedExperts, numExperts, out)
