// MoeTokenPermuteWithRoutingMap in two phases, as aclnn and as kernel entry. Of the host tiling's
// rules the first answer as CANN's interface does, and the others as its tiling. An empty map or
// output ends the call well, and the outputs stay as they are: the tiling then uses no core.

#include "aclnnop/aclnn_moe_token_permute_with_routing_map.h"

#include "aclrtlaunch_moe_token_permute_with_routing_map.h"
#include "moe_token_permute_with_routing_map_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteWithRoutingMapTilingData> {
    static const entry::Table& Interface() {
        const auto same = entry::As("tokens");
        static const entry::Table table{
            "MoeTokenPermuteWithRoutingMap README, parameters",
            {entry::In("tokens", entry::kFloating), entry::In("routingMap", entry::kInt8OrBool),
             entry::In("probsOptional", same).Optional(), entry::Number("numOutTokens"),
             entry::Number("dropAndPad"), entry::Out("permuteTokensOut", same),
             entry::Out("permuteProbsOutOptional", same).OnlyBeside("probsOptional"),
             entry::Out("sortedIndicesOut", entry::kInt32)}};
        return table;
    }

    static bool HasNoWork(const entry::Call&) { return false; }
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeTokenPermuteWithRoutingMapCall cut{call.Shape("tokens"),
                                                    call.Shape("routingMap"),
                                                    call.Shape("probsOptional"),
                                                    call.Shape("permuteTokensOut"),
                                                    call.Shape("permuteProbsOutOptional"),
                                                    call.Shape("sortedIndicesOut"),
                                                    call.Number("numOutTokens"),
                                                    call.Number("dropAndPad"),
                                                    call.Dtype("tokens"),
                                                    call.machine().vectorCores,
                                                    call.machine().ubBytes};
        return MoeTokenPermuteWithRoutingMapTiling(&cut, tiling, reason, reasonBytes);
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_permute_with_routing_map(
            at.cores, at.stream, at["tokens"], at["routingMap"], at["probsOptional"],
            at["permuteTokensOut"], at["permuteProbsOutOptional"], at["sortedIndicesOut"],
            at.scratch, at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeTokenPermuteWithRoutingMap,
              (const aclTensor* tokens, const aclTensor* routingMap, const aclTensor* probsOptional,
               int64_t numOutTokens, bool dropAndPad, aclTensor* permuteTokensOut,
               aclTensor* permuteProbsOutOptional, aclTensor* sortedIndicesOut),
              tokens, routingMap, probsOptional, numOutTokens, dropAndPad, permuteTokensOut,
              permuteProbsOutOptional, sortedIndicesOut)
