// MoeFinalizeRoutingV2Grad in two phases, as aclnn and as kernel entry. Without scales their
// gradient is not written, and of the optional tensors none is read.

#include "aclnnop/aclnn_moe_finalize_routing_v2_grad.h"

#include "aclrtlaunch_moe_finalize_routing_v2_grad.h"
#include "moe_finalize_routing_v2_grad_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV2GradTilingData> {
    static const entry::Table& Interface() {
        const auto same = entry::As("gradY");
        static const entry::Table table{
            "MoeFinalizeRoutingV2Grad README, parameters",
            {entry::In("gradY", entry::kFloating), entry::In("expandedRowIdx", entry::kInt32),
             entry::In("expertIdxOptional", entry::kInt32).Optional(),
             entry::In("expandedXOptional", same).Optional(),
             entry::In("scalesOptional", same).Optional(),
             entry::In("biasOptional", same).Optional(), entry::Number("dropPadMode"),
             entry::Number("activeNum"), entry::Number("expertNum"),
             entry::Number("expertCapacity"), entry::Out("gradExpandedXOut", same),
             entry::Out("gradScalesOut", same).NeededBeside("scalesOptional")}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeFinalizeRoutingV2GradCall cut{call.Shape("gradY"),
                                               call.Shape("expandedRowIdx"),
                                               call.Shape("expandedXOptional"),
                                               call.Shape("scalesOptional"),
                                               call.Shape("expertIdxOptional"),
                                               call.Shape("biasOptional"),
                                               call.Shape("gradExpandedXOut"),
                                               call.Shape("gradScalesOut"),
                                               call.Has("expandedXOptional"),
                                               call.Has("scalesOptional"),
                                               call.Has("expertIdxOptional"),
                                               call.Has("biasOptional"),
                                               call.Number("dropPadMode"),
                                               call.Number("activeNum"),
                                               call.Number("expertNum"),
                                               call.Number("expertCapacity"),
                                               call.Dtype("gradY"),
                                               call.machine().vectorCores,
                                               call.machine().ubBytes};
        return MoeFinalizeRoutingV2GradTiling(&cut, tiling, reason, reasonBytes);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_finalize_routing_v2_grad(
            at.cores, at.stream, at["gradY"], at["expandedRowIdx"], at["expandedXOptional"],
            at["scalesOptional"], at["expertIdxOptional"], at["biasOptional"],
            at["gradExpandedXOut"], at["gradScalesOut"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeFinalizeRoutingV2Grad,
              (const aclTensor* gradY, const aclTensor* expandedRowIdx,
               const aclTensor* expandedXOptional, const aclTensor* scalesOptional,
               const aclTensor* expertIdxOptional, const aclTensor* biasOptional,
               int64_t dropPadMode, int64_t activeNum, int64_t expertNum, int64_t expertCapacity,
               const aclTensor* gradExpandedXOut, const aclTensor* gradScalesOut),
              gradY, expandedRowIdx, expertIdxOptional, expandedXOptional, scalesOptional,
              biasOptional, dropPadMode, activeNum, expertNum, expertCapacity, gradExpandedXOut,
              gradScalesOut)
