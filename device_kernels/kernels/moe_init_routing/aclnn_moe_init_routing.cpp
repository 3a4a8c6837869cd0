// MoeInitRouting in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing.h"

#include "../shared/routing/row_indices_interface.h"
#include "aclrtlaunch_moe_init_routing.h"
#include "moe_init_routing_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeInitRoutingTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table =
            row_indices::Interface("operator definition of MoeInitRouting", entry::As("x"));
        return table;
    }

    static constexpr auto kTiling = MoeInitRoutingTiling;
    static MoeInitRoutingCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),   call.Size("topK"), call.Size("hidden"),
                call.Size("rows"),     call.Dtype("x"),   call.machine().vectorCores,
                call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_init_routing(
            at.cores, at.stream, at["x"], at["rowIdx"], at["expertIdx"], at["expandedXOut"],
            at["expandedRowIdxOut"], at["expandedExpertIdxOut"], at.scratch, at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeInitRouting,
              (const aclTensor* x, const aclTensor* rowIdx, const aclTensor* expertIdx,
               int64_t activeNum, const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
               const aclTensor* expandedExpertIdxOut),
              x, rowIdx, expertIdx, activeNum, expandedXOut, expandedRowIdxOut,
              expandedExpertIdxOut)
