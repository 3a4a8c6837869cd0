// MoeTokenPermuteWithEpGrad in two phases, as aclnn and as kernel entry. A range that is absent has
// no rank, as CANN's own default, which ends where it starts.

#include "aclnnop/aclnn_moe_token_permute_with_ep_grad.h"

#include "aclrtlaunch_moe_token_permute_with_ep_grad.h"
#include "moe_token_permute_with_ep_grad_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kProbs = "permutedProbsOutputGradOptional";

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithEpGradTilingData> {
    static const entry::Table& Interface() {
        const auto same = entry::As("permutedTokensOutputGrad");
        static const entry::Table table{
            "MoeTokenPermuteWithEpGrad README, parameters",
            {entry::In("permutedTokensOutputGrad", entry::kFloating),
             entry::In("sortedIndices", entry::kInt32), entry::In(kProbs, same).Optional(),
             entry::Number("numTopk"), entry::List("rangeOptional"), entry::Number("paddedMode"),
             entry::Out("tokenGradOut", same),
             entry::Out("probsGradOut", same).NeededBeside(kProbs)}};
        return table;
    }

    // Without gradients of permuted probabilities nothing goes to probsGradOut.
    static bool HasNoWork(const entry::Call& call) {
        return call["tokenGradOut"].IsEmpty() &&
               (!call.Has(kProbs) || call["probsGradOut"].IsEmpty());
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeTokenPermuteWithEpGradCall cut{call.Shape("permutedTokensOutputGrad"),
                                                call.Shape("sortedIndices"),
                                                call.Shape(kProbs),
                                                call.List("rangeOptional"),
                                                call.Shape("tokenGradOut"),
                                                call.Shape("probsGradOut"),
                                                call.Has(kProbs),
                                                call.HasList("rangeOptional"),
                                                call.Number("numTopk"),
                                                call.Number("paddedMode"),
                                                call.Dtype("permutedTokensOutputGrad"),
                                                call.machine().vectorCores,
                                                call.machine().ubBytes};
        return MoeTokenPermuteWithEpGradTiling(&cut, tiling, reason, reasonBytes);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_permute_with_ep_grad(
            at.cores, at.stream, at["permutedTokensOutputGrad"], at["sortedIndices"], at[kProbs],
            at["tokenGradOut"], at["probsGradOut"], at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenPermuteWithEpGrad,
          (const aclTensor* permutedTokensOutputGrad, const aclTensor* sortedIndices,
           const aclTensor* permutedProbsOutputGradOptional, int64_t numTopk,
           const aclIntArray* rangeOptional, bool paddedMode, const aclTensor* tokenGradOut,
           const aclTensor* probsGradOut),
          permutedTokensOutputGrad, sortedIndices, permutedProbsOutputGradOptional, numTopk,
          rangeOptional, paddedMode, tokenGradOut, probsGradOut)
MOE_KERNEL(MoeTokenPermuteWithEpGrad,
           (const aclTensor* permutedTokensOutputGrad, const aclTensor* sortedIndices,
            const aclTensor* permutedProbsOutputGradOptional, int64_t numTopk, const int64_t* range,
            uint64_t rangeLength, bool paddedMode, const aclTensor* tokenGradOut,
            const aclTensor* probsGradOut),
           permutedTokensOutputGrad, sortedIndices, permutedProbsOutputGradOptional, numTopk,
           {range, rangeLength}, paddedMode, tokenGradOut, probsGradOut)
