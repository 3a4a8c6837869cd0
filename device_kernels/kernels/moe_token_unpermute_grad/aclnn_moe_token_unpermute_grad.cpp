// MoeTokenUnpermuteGrad in two phases, as aclnn and as kernel entry. paddedMode and
// restoreShapeOptional change nothing. Without probs their gradient is not written.

#include "aclnnop/aclnn_moe_token_unpermute_grad.h"

#include "aclrtlaunch_moe_token_unpermute_grad.h"
#include "moe_token_unpermute_grad_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteGradTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "MoeTokenUnpermuteGrad README, parameters",
            {entry::In("permutedTokens", entry::kFloating),
             entry::In("unpermutedTokensGrad", entry::As("permutedTokens")),
             entry::In("sortedIndices", entry::kInt32),
             entry::In("probsOptional", entry::kFloating).Optional(),
             entry::Out("permutedTokensGradOut", entry::As("permutedTokens")),
             entry::Out("probsGradOut", entry::As("probsOptional")).NeededBeside("probsOptional")}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        static_assert(ACL_DT_UNDEFINED == -1, "what the tiling takes for probs that are not there");
        const MoeTokenUnpermuteGradCall cut{
            call.Shape("permutedTokens"),        call.Shape("unpermutedTokensGrad"),
            call.Shape("sortedIndices"),         call.Shape("probsOptional"),
            call.Shape("permutedTokensGradOut"), call.Shape("probsGradOut"),
            call.Dtype("permutedTokens"),        call.Dtype("probsOptional"),
            call.machine().vectorCores,          call.machine().ubBytes};
        return MoeTokenUnpermuteGradTiling(&cut, tiling, reason, reasonBytes);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute_grad(
            at.cores, at.stream, at["permutedTokens"], at["unpermutedTokensGrad"],
            at["sortedIndices"], at["probsOptional"], at["permutedTokensGradOut"],
            at["probsGradOut"], at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermuteGrad,
          (const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
           const aclTensor* sortedIndices, const aclTensor* probsOptional, bool /*paddedMode*/,
           const aclIntArray* /*restoreShapeOptional*/, const aclTensor* permutedTokensGradOut,
           const aclTensor* probsGradOut),
          permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional, permutedTokensGradOut,
          probsGradOut)
MOE_KERNEL(MoeTokenUnpermuteGrad,
           (const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
            const aclTensor* sortedIndices, const aclTensor* probsOptional, bool /*paddedMode*/,
            const int64_t* /*restoreShape*/, uint64_t /*restoreShapeLength*/,
            const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut),
           permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional,
           permutedTokensGradOut, probsGradOut)
