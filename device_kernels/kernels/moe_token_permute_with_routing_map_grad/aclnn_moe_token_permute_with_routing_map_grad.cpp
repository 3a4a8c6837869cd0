// MoeTokenPermuteWithRoutingMapGrad in two phases, as aclnn and as kernel entry. CANN looks at the
// two numbers first. An empty gradient of the tokens ends the call well, and the outputs stay as
// they are.

#include "aclnnop/aclnn_moe_token_permute_with_routing_map_grad.h"

#include "aclnn_moe_token_permute_with_routing_map_grad_launches.h"
#include "moe_token_permute_with_routing_map_grad_interface.h"
#include "two_phase.h"

namespace {

using namespace routing_map_grad;

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithRoutingMapGradTilingData> {
    using Work = routing_map_grad::Launches;

    static const entry::Table& Interface() { return routing_map_grad::Interface(); }

    static aclnnStatus CheckFirst(const entry::Call& call) { return CheckNumbers(call); }
    // Of the tensors of which CANN looks at the rank even without work.
    static aclnnStatus Check(entry::Call* call) {
        return call->CheckRanks({kTokens, kMap, kProbs});
    }

    static bool HasNoWork(const entry::Call& call) {
        return call[kTokens].IsEmpty() || call["tokensGradOut"].IsEmpty();
    }
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static constexpr auto kTiling = MoeTokenPermuteWithRoutingMapGradTiling;
    static MoeTokenPermuteWithRoutingMapGradCall Seen(const entry::Call& call) {
        const bool hasProbs = call.Has(kProbs) && call.Has(kProbsGrad);
        return {call.Number("tokensNum"),
                call.Number("numExperts"),
                call.Size("hidden"),
                call.Size("rows"),
                hasProbs,
                call.Number("dropAndPad"),
                call.Dtype(kTokens),
                call.machine().vectorCores,
                call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.rowCores; }
};

}  // namespace

MOE_TWO_PHASE(MoeTokenPermuteWithRoutingMapGrad,
              (const aclTensor* permutedTokenOutputGrad,
               const aclTensor* permutedProbsOutputGradOptional, const aclTensor* sortedIndices,
               const aclTensor* routingMapOptional, int64_t numExperts, int64_t tokensNum,
               bool dropAndPad, aclTensor* tokensGradOut, aclTensor* probsGradOutOptional),
              permutedTokenOutputGrad, permutedProbsOutputGradOptional, sortedIndices,
              routingMapOptional, numExperts, tokensNum, dropAndPad, tokensGradOut,
              probsGradOutOptional)
