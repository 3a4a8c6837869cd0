// MoeTokenPermuteWithRoutingMapGrad in two phases, as aclnn and as kernel entry. CANN looks at the
// two numbers first. An empty gradient of the tokens ends the call well, and the outputs stay as
// they are.

#include "aclnnop/aclnn_moe_token_permute_with_routing_map_grad.h"

#include <string>

#include "aclnn_moe_token_permute_with_routing_map_grad_launches.h"
#include "two_phase.h"

namespace {

using routing_map_grad::kMap;
using routing_map_grad::kProbs;
using routing_map_grad::kProbsGrad;
using routing_map_grad::kTokens;

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithRoutingMapGradTilingData> {
    using Work = routing_map_grad::Launches;

    static const entry::Table& Interface() {
        const auto same = entry::As(kTokens);
        static const entry::Table table{
            "MoeTokenPermuteWithRoutingMapGrad README, parameters",
            {entry::In(kTokens, entry::kFloating), entry::In(kProbs, same).Optional(),
             entry::In("sortedIndices", entry::kInt32),
             entry::In(kMap, entry::kInt8OrBool).NeededBeside(kProbs), entry::Number("numExperts"),
             entry::Number("tokensNum"), entry::Number("dropAndPad"),
             entry::Out("tokensGradOut", same), entry::Out(kProbsGrad, same).Optional()}};
        return table;
    }

    static aclnnStatus CheckFirst(const entry::Call& call) {
        for (const char* name : {"numExperts", "tokensNum"}) {
            if (call.Number(name) <= 0) {
                return call.Invalid(name, "", call.Number(name), "greater than 0");
            }
        }
        return ACLNN_SUCCESS;
    }

    static aclnnStatus Check(entry::Call* call) {
        const std::pair<const char*, uint64_t> ranks[] = {{kTokens, 2}, {kMap, 2}, {kProbs, 1}};
        for (const auto& [name, rank] : ranks) {
            const uint64_t count = call->Shape(name).count;
            if (call->Has(name) && count != rank) {
                return call->Invalid(name, "rank", static_cast<int64_t>(count),
                                     std::to_string(rank));
            }
        }
        return ACLNN_SUCCESS;
    }

    static bool HasNoWork(const entry::Call& call) {
        return call[kTokens].IsEmpty() || call["tokensGradOut"].IsEmpty();
    }
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeTokenPermuteWithRoutingMapGradCall cut{
            call.Shape(kTokens),       call.Shape(kProbs),          call.Shape("sortedIndices"),
            call.Shape(kMap),          call.Shape("tokensGradOut"), call.Shape(kProbsGrad),
            call.Number("numExperts"), call.Number("tokensNum"),    call.Number("dropAndPad"),
            call.Dtype(kTokens),       call.machine().vectorCores,  call.machine().ubBytes};
        return MoeTokenPermuteWithRoutingMapGradTiling(&cut, tiling, reason, reasonBytes);
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
