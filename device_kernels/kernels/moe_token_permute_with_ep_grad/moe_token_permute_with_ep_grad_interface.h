// The interface of MoeTokenPermuteWithEpGrad: its parameters, and the rules on them.
#ifndef MOE_TOKEN_PERMUTE_WITH_EP_GRAD_INTERFACE_H
#define MOE_TOKEN_PERMUTE_WITH_EP_GRAD_INTERFACE_H

#include <cstdint>

#include "call.h"

namespace moe_token_permute_with_ep_grad {

inline constexpr const char* kProbs = "permutedProbsOutputGradOptional";

inline const entry::Table& Interface() {
    using namespace entry;
    const auto same = As("permutedTokensOutputGrad");
    static const Table table{
        "MoeTokenPermuteWithEpGrad README, parameters",
        {In("permutedTokensOutputGrad", kFloating, {"rows", "hidden"}),
         In("sortedIndices", kInt32, {Times("tokens", "numTopk")}),
         InOrNull(kProbs, same, {"probRows"}), Number("numTopk"), List("rangeOptional").OfLength(2),
         Number("paddedMode").False(), Out("tokenGradOut", same, {"tokens", "hidden"}),
         Out("probsGradOut", same, {"tokens", Rest("numTopk", 0, 1)}).NeededBeside(kProbs)},
        Stage::TILING,
        {AtLeast("numTopk", 1)}};
    return table;
}

}  // namespace moe_token_permute_with_ep_grad

#endif
