// MoeTokenPermute in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_token_permute.h"

#include "../shared/slots/slot_copy_check.h"
#include "aclrtlaunch_moe_token_permute.h"
#include "moe_token_permute_tiling.h"
#include "two_phase.h"

namespace {

int64_t KeptRows(const entry::Call& call) {
    return slot_copy::KeptRanks(call.Number("numOutTokens"),
                                call.Size("tokens") * call.Size("topK"));
}

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Table table{
            "operator definition of MoeTokenPermute",
            {In("tokens", {{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_BF16}},
                {"tokens", Rest("hidden", 0)}),
             In("indices", kInt32OrInt64, {"tokens", Rest("topK", 0, 1)}), Number("numOutTokens"),
             Number("paddedMode").False(),
             Out("permuteTokensOut", As("tokens"), {"rows", Rest("hidden", 1)}),
             Out("sortedIndicesOut", kInt32, {Times("tokens", "topK")})},
            Stage::TILING,
            {Is("rows", KeptRows, "the number of ranks that numOutTokens keeps")}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenPermuteTiling;
    static MoeTokenPermuteCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),        call.Size("topK"),     call.Size("hidden"),
                call.Size("rows"),          call.Dtype("tokens"),  call.Dtype("indices"),
                call.machine().vectorCores, call.machine().ubBytes};
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
