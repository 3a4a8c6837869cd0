// MoeComputeExpertTokens in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_compute_expert_tokens.h"

#include "aclrtlaunch_moe_compute_expert_tokens.h"
#include "moe_compute_expert_tokens_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeComputeExpertTokensTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Table table{
            "aclnnMoeComputeExpertTokens, parameters and constraints",
            {In("sortedExperts", kInt32, {"entries"}),
             Number("numExperts", "experts").Between(1, 2048), Out("out", kInt32, {"experts"})},
            Stage::TILING,
            {AtMost("entries", (1 << 24) - 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeComputeExpertTokensTiling;
    static MoeComputeExpertTokensCall Seen(const entry::Call& call) {
        return {call.Size("entries"), call.Size("experts"), call.Dtype("sortedExperts"),
                call.machine().vectorCores, call.machine().ubBytes};
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
