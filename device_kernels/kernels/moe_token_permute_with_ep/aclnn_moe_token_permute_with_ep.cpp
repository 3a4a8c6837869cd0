// MoeTokenPermuteWithEp in two phases. The kernel entry differs from aclnn's in paddedMode and in
// numOutTokens without a range, which it takes as the document has them.

#include "aclnnop/aclnn_moe_token_permute_with_ep.h"

#include "aclrtlaunch_moe_token_permute_with_ep.h"
#include "moe_token_permute_with_ep_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithEpTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const auto same = As("tokens");
        static const Table table{
            "operator definition of MoeTokenPermuteWithEp",
            {In("tokens", kFloating), In("indices", kInt32OrInt64),
             In("probsOptional", same).Optional(), List("rangeOptional"), Number("numOutTokens"),
             Number("paddedMode"), Out("permuteTokensOut", same), Out("sortedIndicesOut", kInt32),
             Out("permuteProbsOut", same).NeededBeside("probsOptional")}};
        return table;
    }
    static constexpr auto kTiling = MoeTokenPermuteWithEpTiling;
    static MoeTokenPermuteWithEpCall Seen(const entry::Call& call) {
        return {call.Shape("tokens"),           call.Shape("indices"),
                call.Shape("probsOptional"),    call.List("rangeOptional"),
                call.Shape("permuteTokensOut"), call.Shape("sortedIndicesOut"),
                call.Shape("permuteProbsOut"),  call.Has("probsOptional"),
                call.HasList("rangeOptional"),  call.Number("numOutTokens"),
                call.Number("paddedMode"),      call.IsKernelEntry(),
                call.Dtype("tokens"),           call.Dtype("indices"),
                call.machine().vectorCores,     call.machine().ubBytes};
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
