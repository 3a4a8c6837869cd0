// MoeFinalizeRoutingV2Grad in two phases, as aclnn and as kernel entry. Without scales their
// gradient is not written, and of the optional tensors none is read.

#include "aclnnop/aclnn_moe_finalize_routing_v2_grad.h"

#include "aclrtlaunch_moe_finalize_routing_v2_grad.h"
#include "moe_finalize_routing_v2_grad_interface.h"
#include "moe_finalize_routing_v2_grad_tiling.h"
#include "two_phase.h"

namespace {

using namespace moe_finalize_routing_v2_grad;

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV2GradTilingData> {
    static const entry::Table& Interface() { return moe_finalize_routing_v2_grad::Interface(); }

    static constexpr auto kTiling = MoeFinalizeRoutingV2GradTiling;
    static MoeFinalizeRoutingV2GradCall Seen(const entry::Call& call) {
        const bool hasScales = call.Has("scalesOptional");
        const bool hasBias = hasScales && call.Has("biasOptional");
        return {call.Size("tokens"),
                call.Size("topK"),
                call.Size("hidden"),
                call.Size("rows"),
                call.Number("expertNum"),
                call.Number("expertCapacity"),
                call.Number("dropPadMode"),
                hasScales,
                hasBias,
                call.Dtype("gradY"),
                call.machine().vectorCores,
                call.machine().ubBytes};
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
