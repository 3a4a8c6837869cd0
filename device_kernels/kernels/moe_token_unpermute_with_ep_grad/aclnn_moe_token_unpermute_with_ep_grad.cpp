// MoeTokenUnpermuteWithEpGrad in two phases, as aclnn and as kernel entry. restoreShapeOptional
// changes nothing. Without probs the permuted tokens are not read, and the gradient of the probs is
// not written.

#include "aclnnop/aclnn_moe_token_unpermute_with_ep_grad.h"

#include "aclrtlaunch_moe_token_unpermute_with_ep_grad.h"
#include "moe_token_unpermute_with_ep_grad_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kGrad = "unpermutedTokensGrad";
constexpr const char* kRows = "permutedTokensOptional";
constexpr const char* kProbs = "probsOptional";
constexpr const char* kRowsGrad = "permutedTokensGradOut";
constexpr const char* kProbsGrad = "probsGradOut";

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteWithEpGradTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const Condition bare{[](const Call& call) { return !call.Has(kProbs); },
                             "probsOptional is null"};
        static const Table table{
            "MoeTokenUnpermuteWithEpGrad README, parameters",
            {In(kGrad, kFloating, {"tokens", "hidden"}),
             In("sortedIndices", kInt32, {Times("tokens", "topkNum")}),
             InOrNull(kRows, As(kGrad), {"rows", "hidden"}).Only(Given(kProbs)),
             InOrNull(kProbs, kFloating, {"tokens", "topkNum"}), Number("paddedMode").False(),
             List("rangeOptional").OfLength(2), Number("topkNum"),
             Out(kRowsGrad, As(kGrad), {"rows", "hidden"}),
             Out(kProbsGrad, As(kProbs), {"tokens", "topkNum"}).NeededBeside(kProbs)},
            Stage::TILING,
            {AtLeast("topkNum", 1), AtMost("topkNum", 1, bare), AtLeast("rows", 1),
             AtLeast("hidden", 1), AtLeast("tokens", 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenUnpermuteWithEpGradTiling;
    static MoeTokenUnpermuteWithEpGradCall Seen(const entry::Call& call) {
        return {call.Size("tokens"), call.Size("topkNum"),       call.Size("hidden"),
                call.Size("rows"),   call.List("rangeOptional"), call.Dtype(kGrad),
                call.Dtype(kProbs),  call.machine().vectorCores, call.machine().ubBytes};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute_with_ep_grad(
            at.cores, at.stream, at[kGrad], at["sortedIndices"], at[kRows], at[kProbs],
            at[kRowsGrad], at[kProbsGrad], at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermuteWithEpGrad,
          (const aclTensor* unpermutedTokensGrad, const aclTensor* sortedIndices,
           const aclTensor* permutedTokensOptional, const aclTensor* probsOptional, bool paddedMode,
           const aclIntArray* /*restoreShapeOptional*/, const aclIntArray* rangeOptional,
           int64_t topkNum, const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut),
          unpermutedTokensGrad, sortedIndices, permutedTokensOptional, probsOptional, paddedMode,
          rangeOptional, topkNum, permutedTokensGradOut, probsGradOut)
MOE_KERNEL(MoeTokenUnpermuteWithEpGrad,
           (const aclTensor* unpermutedTokensGrad, const aclTensor* sortedIndices,
            const aclTensor* permutedTokensOptional, const aclTensor* probsOptional,
            bool paddedMode, const int64_t* /*restoreShape*/, uint64_t /*restoreShapeLength*/,
            const int64_t* range, uint64_t rangeLength, int64_t topkNum,
            const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut),
           unpermutedTokensGrad, sortedIndices, permutedTokensOptional, probsOptional, paddedMode,
           {range, rangeLength}, topkNum, permutedTokensGradOut, probsGradOut)
