// MoeInitRoutingQuant in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing_quant.h"

#include "../shared/routing/row_indices_interface.h"
#include "aclrtlaunch_moe_init_routing_quant.h"
#include "moe_init_routing_quant_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeInitRoutingQuantTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table =
            row_indices::Interface("aclnnMoeInitRoutingQuant, parameters", {{ACL_INT8}},
                                   {entry::Real("scale"), entry::Real("offset")});
        return table;
    }

    static constexpr auto kTiling = MoeInitRoutingQuantTiling;
    static MoeInitRoutingQuantCall Seen(const entry::Call& call) {
        return {call.Size("tokens"), call.Size("topK"),          call.Size("hidden"),
                call.Size("rows"),   call.Real("scale"),         call.Real("offset"),
                call.Dtype("x"),     call.machine().vectorCores, call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_init_routing_quant(
            at.cores, at.stream, at["x"], at["rowIdx"], at["expertIdx"], at["expandedXOut"],
            at["expandedRowIdxOut"], at["expandedExpertIdxOut"], at.scratch, at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeInitRoutingQuant,
              (const aclTensor* x, const aclTensor* rowIdx, const aclTensor* expertIdx,
               int64_t activeNum, double scale, double offset, const aclTensor* expandedXOut,
               const aclTensor* expandedRowIdxOut, const aclTensor* expandedExpertIdxOut),
              x, rowIdx, expertIdx, activeNum, scale, offset, expandedXOut, expandedRowIdxOut,
              expandedExpertIdxOut)
