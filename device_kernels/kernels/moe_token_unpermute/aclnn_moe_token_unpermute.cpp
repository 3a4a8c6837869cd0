// MoeTokenUnpermute in two phases, as aclnn and as kernel entry. paddedMode and
// restoreShapeOptional change nothing, as on Ascend910B and 910_93.

#include "aclnnop/aclnn_moe_token_unpermute.h"

#include "aclrtlaunch_moe_token_unpermute.h"
#include "moe_token_unpermute_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Table table{"MoeTokenUnpermute README, parameters",
                                 {In("permutedTokens", kFloating, {"rows", "hidden"}),
                                  In("sortedIndices", kInt32, {Times("tokens", "topK")}),
                                  In("probsOptional", kFloating, {"tokens", "topK"}).Optional(),
                                  Out("out", As("permutedTokens"), {"tokens", "hidden"})},
                                 Stage::TILING,
                                 {OneWithout("topK", "probsOptional"), AtLeast("topK", 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenUnpermuteTiling;
    static MoeTokenUnpermuteCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),          call.Size("topK"),
                call.Size("hidden"),          call.Size("rows"),
                call.Dtype("permutedTokens"), call.Dtype("probsOptional"),
                call.machine().vectorCores,   call.machine().ubBytes};
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
