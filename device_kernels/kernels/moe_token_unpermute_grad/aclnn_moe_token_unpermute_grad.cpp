// MoeTokenUnpermuteGrad in two phases, as aclnn and as kernel entry. paddedMode and
// restoreShapeOptional change nothing. Without probs their gradient is not written, and from
// CANN 9.1 on permutedTokens may be null.

#include "aclnnop/aclnn_moe_token_unpermute_grad.h"

#include "aclrtlaunch_moe_token_unpermute_grad.h"
#include "moe_token_unpermute_grad_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kGrad = "unpermutedTokensGrad";
constexpr const char* kProbs = "probsOptional";

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteGradTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const Parameter rows = In("permutedTokens", As(kGrad), {"rows", "hidden"});
        static const Table table{
            "MoeTokenUnpermuteGrad README, parameters",
            {opapi::IsBeforeCann(9, 1) ? rows : rows.NullWithout(kProbs),
             In(kGrad, kFloating, {"tokens", "hidden"}),
             In("sortedIndices", kInt32, {Times("tokens", "topK")}),
             In(kProbs, kFloating, {"tokens", "topK"}).Optional(),
             Out("permutedTokensGradOut", As(kGrad), {"rows", "hidden"}),
             Out("probsGradOut", As(kProbs), {"tokens", "topK"}).NeededBeside(kProbs)},
            Stage::TILING,
            {OneWithout("topK", kProbs), AtLeast("topK", 1), AtLeast("rows", 1),
             AtLeast("hidden", 1), AtLeast("tokens", 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenUnpermuteGradTiling;
    static MoeTokenUnpermuteGradCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),        call.Size("topK"),     call.Size("hidden"),
                call.Size("rows"),          call.Dtype(kGrad),     call.Dtype(kProbs),
                call.machine().vectorCores, call.machine().ubBytes};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute_grad(
            at.cores, at.stream, at["permutedTokens"], at[kGrad], at["sortedIndices"], at[kProbs],
            at["permutedTokensGradOut"], at["probsGradOut"], at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermuteGrad,
          (const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
           const aclTensor* sortedIndices, const aclTensor* probsOptional, bool, const aclIntArray*,
           const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut),
          permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional, permutedTokensGradOut,
          probsGradOut)
MOE_KERNEL(MoeTokenUnpermuteGrad,
           (const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
            const aclTensor* sortedIndices, const aclTensor* probsOptional, bool, const int64_t*,
            uint64_t, const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut),
           permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional,
           permutedTokensGradOut, probsGradOut)
