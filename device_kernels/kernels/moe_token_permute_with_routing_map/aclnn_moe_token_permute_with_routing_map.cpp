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
        using namespace entry;
        const auto same = As("tokens");
        static const Table table{"MoeTokenPermuteWithRoutingMap README, parameters",
                                 {In("tokens", kFloating), In("routingMap", kInt8OrBool),
                                  In("probsOptional", same).Optional(), Number("numOutTokens"),
                                  Number("dropAndPad"), Out("permuteTokensOut", same),
                                  Out("permuteProbsOutOptional", same).OnlyBeside("probsOptional"),
                                  Out("sortedIndicesOut", kInt32)}};
        return table;
    }

    static bool HasNoWork(const entry::Call&) { return false; }
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }
    static constexpr auto kTiling = MoeTokenPermuteWithRoutingMapTiling;
    static MoeTokenPermuteWithRoutingMapCall Seen(const entry::Call& call) {
        return {call.Shape("tokens"),
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
