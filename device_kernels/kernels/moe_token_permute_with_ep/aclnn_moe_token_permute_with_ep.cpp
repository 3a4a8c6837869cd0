// MoeTokenPermuteWithEp in two phases. The kernel entry differs from aclnn's in paddedMode and in
// numOutTokens without a range, which it takes as the document has them.

#include "aclnnop/aclnn_moe_token_permute_with_ep.h"

#include "aclrtlaunch_moe_token_permute_with_ep.h"
#include "moe_token_permute_with_ep_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithEpTilingData> {
    static const entry::Table& Interface() {
        const auto same = entry::As("tokens");
        static const entry::Table table{
            "operator definition of MoeTokenPermuteWithEp",
            {entry::In("tokens", entry::kFloating), entry::In("indices", entry::kInt32OrInt64),
             entry::In("probsOptional", same).Optional(), entry::List("rangeOptional"),
             entry::Number("numOutTokens"), entry::Number("paddedMode"),
             entry::Out("permuteTokensOut", same), entry::Out("sortedIndicesOut", entry::kInt32),
             entry::Out("permuteProbsOut", same).NeededBeside("probsOptional")}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeTokenPermuteWithEpCall cut{
            call.Shape("tokens"),           call.Shape("indices"),
            call.Shape("probsOptional"),    call.List("rangeOptional"),
            call.Shape("permuteTokensOut"), call.Shape("sortedIndicesOut"),
            call.Shape("permuteProbsOut"),  call.Has("probsOptional"),
            call.HasList("rangeOptional"),  call.Number("numOutTokens"),
            call.Number("paddedMode"),      call.IsKernelEntry(),
            call.Dtype("tokens"),           call.Dtype("indices"),
            call.machine().vectorCores,     call.machine().ubBytes};
        return MoeTokenPermuteWithEpTiling(&cut, tiling, reason, reasonBytes);
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_permute_with_ep(at.cores, at.stream, at["tokens"],
                                                     at["indices"], at["probsOptional"],
                                                     at["permuteTokensOut"], at["sortedIndicesOut"],
                                                     at["permuteProbsOut"], at.scratch, at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenPermuteWithEp,
          (const aclTensor* tokens, const aclTensor* indices, const aclTensor* probsOptional,
           const aclIntArray* rangeOptional, int64_t numOutTokens, bool paddedMode,
           const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut,
           const aclTensor* permuteProbsOut),
          tokens, indices, probsOptional, rangeOptional, numOutTokens, paddedMode, permuteTokensOut,
          sortedIndicesOut, permuteProbsOut)
MOE_KERNEL(MoeTokenPermuteWithEp,
           (const aclTensor* tokens, const aclTensor* indices, const aclTensor* probsOptional,
            const int64_t* range, uint64_t rangeLength, int64_t numOutTokens, bool paddedMode,
            const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut,
            const aclTensor* permuteProbsOut),
           tokens, indices, probsOptional, {range, rangeLength}, numOutTokens, paddedMode,
           permuteTokensOut, sortedIndicesOut, permuteProbsOut)
