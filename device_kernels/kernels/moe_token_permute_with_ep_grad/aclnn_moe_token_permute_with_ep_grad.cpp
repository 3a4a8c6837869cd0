// MoeTokenPermuteWithEpGrad in two phases, as aclnn and as kernel entry. A range that is absent has
// no rank, as CANN's own default, which ends where it starts.

#include "aclnnop/aclnn_moe_token_permute_with_ep_grad.h"

#include "aclrtlaunch_moe_token_permute_with_ep_grad.h"
#include "moe_token_permute_with_ep_grad_interface.h"
#include "moe_token_permute_with_ep_grad_tiling.h"
#include "two_phase.h"

namespace {

using namespace moe_token_permute_with_ep_grad;

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithEpGradTilingData> {
    static const entry::Table& Interface() { return moe_token_permute_with_ep_grad::Interface(); }

    // Without gradients of permuted probabilities nothing goes to probsGradOut.
    static bool HasNoWork(const entry::Call& call) {
        return call["tokenGradOut"].IsEmpty() &&
               (!call.Has(kProbs) || call["probsGradOut"].IsEmpty());
    }

    static constexpr auto kTiling = MoeTokenPermuteWithEpGradTiling;
    static MoeTokenPermuteWithEpGradCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),        call.Number("numTopk"),
                call.Size("hidden"),        call.Size("rows"),
                call.Size("probRows"),      call.List("rangeOptional"),
                call.Has(kProbs),           call.Dtype("permutedTokensOutputGrad"),
                call.machine().vectorCores, call.machine().ubBytes};
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
