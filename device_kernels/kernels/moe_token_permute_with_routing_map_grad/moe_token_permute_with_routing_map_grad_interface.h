// The interface of MoeTokenPermuteWithRoutingMapGrad: its parameters, and the rules on them.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_INTERFACE_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_INTERFACE_H

#include <cstdint>

#include "call.h"

namespace routing_map_grad {

inline constexpr const char* kTokens = "permutedTokenOutputGrad";
inline constexpr const char* kProbs = "permutedProbsOutputGradOptional";
inline constexpr const char* kMap = "routingMapOptional";
inline constexpr const char* kProbsGrad = "probsGradOutOptional";

inline const entry::Table& Interface() {
    using namespace entry;
    const auto same = As(kTokens);
    const Condition wanted = Both(Given(kProbs), Given(kProbsGrad));
    static const Table table{
        "MoeTokenPermuteWithRoutingMapGrad README, parameters",
        {In(kTokens, kFloating, {"rows", "hidden"}), InOrNull(kProbs, same, {"rows"}).Only(wanted),
         In("sortedIndices", kInt32, {"rows"}),
         In(kMap, kInt8OrBool, {"tokensNum", "numExperts"}).NeededBeside(kProbs).Only(wanted),
         Number("numExperts"), Number("tokensNum"), Number("dropAndPad"),
         Out("tokensGradOut", same, {"tokensNum", "hidden"}),
         OutOrNull(kProbsGrad, same, {"tokensNum", "numExperts"}).Only(wanted)},
        Stage::WORK};
    return table;
}

inline aclnnStatus CheckNumbers(const entry::Call& call) {
    for (const char* name : {"numExperts", "tokensNum"}) {
        if (call.Number(name) <= 0) {
            return call.Invalid(name, "", call.Number(name), "greater than 0");
        }
    }
    return ACLNN_SUCCESS;
}

}  // namespace routing_map_grad

#endif
