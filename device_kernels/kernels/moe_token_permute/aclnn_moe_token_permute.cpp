// MoeTokenPermute in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_token_permute.h"

#include "aclrtlaunch_moe_token_permute.h"
#include "moe_token_permute_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "operator definition of MoeTokenPermute",
            {entry::In("tokens", {{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_BF16}}),
             entry::In("indices", entry::kInt32OrInt64), entry::Number("numOutTokens"),
             entry::Number("paddedMode"), entry::Out("permuteTokensOut", entry::As("tokens")),
             entry::Out("sortedIndicesOut", entry::kInt32)}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeTokenPermuteCall cut{
            call.Shape("tokens"),           call.Shape("indices"),
            call.Shape("permuteTokensOut"), call.Shape("sortedIndicesOut"),
            call.Number("numOutTokens"),    call.Number("paddedMode"),
            call.Dtype("tokens"),           call.Dtype("indices"),
            call.machine().vectorCores,     call.machine().ubBytes};
        return MoeTokenPermuteTiling(&cut, tiling, reason, reasonBytes);
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_permute(at.cores, at.stream, at["tokens"], at["indices"],
                                             at["permuteTokensOut"], at["sortedIndicesOut"],
                                             at.scratch, at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeTokenPermute,
              (const aclTensor* tokens, const aclTensor* indices, int64_t numOutTokens,
               bool paddedMode, const aclTensor* permuteTokensOut,
               const aclTensor* sortedIndicesOut),
              tokens, indices, numOutTokens, paddedMode, permuteTokensOut, sortedIndicesOut)
