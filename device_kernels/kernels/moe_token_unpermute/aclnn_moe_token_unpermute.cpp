// MoeTokenUnpermute in two phases, as aclnn and as kernel entry. paddedMode and
// restoreShapeOptional change nothing, as on Ascend910B and 910_93.

#include "aclnnop/aclnn_moe_token_unpermute.h"

#include "aclrtlaunch_moe_token_unpermute.h"
#include "moe_token_unpermute_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{"MoeTokenUnpermute README, parameters",
                                        {entry::In("permutedTokens", entry::kFloating),
                                         entry::In("sortedIndices", entry::kInt32),
                                         entry::In("probsOptional", entry::kFloating).Optional(),
                                         entry::Out("out", entry::As("permutedTokens"))}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        static_assert(ACL_DT_UNDEFINED == -1, "what the tiling takes for probs that are not there");
        const MoeTokenUnpermuteCall cut{call.Shape("permutedTokens"), call.Shape("sortedIndices"),
                                        call.Shape("probsOptional"),  call.Shape("out"),
                                        call.Dtype("permutedTokens"), call.Dtype("probsOptional"),
                                        call.machine().vectorCores,   call.machine().ubBytes};
        return MoeTokenUnpermuteTiling(&cut, tiling, reason, reasonBytes);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute(at.cores, at.stream, at["permutedTokens"],
                                               at["sortedIndices"], at["probsOptional"], at["out"],
                                               at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermute,
          (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
           const aclTensor* probsOptional, bool /*paddedMode*/,
           const aclIntArray* /*restoreShapeOptional*/, const aclTensor* out),
          permutedTokens, sortedIndices, probsOptional, out)
MOE_KERNEL(MoeTokenUnpermute,
           (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
            const aclTensor* probsOptional, bool /*paddedMode*/, const int64_t* /*restoreShape*/,
            uint64_t /*restoreShapeLength*/, const aclTensor* out),
           permutedTokens, sortedIndices, probsOptional, out)
