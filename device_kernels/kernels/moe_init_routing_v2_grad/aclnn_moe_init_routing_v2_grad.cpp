// MoeInitRoutingV2Grad in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"

#include "aclrtlaunch_moe_init_routing_v2_grad.h"
#include "moe_init_routing_v2_grad_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeInitRoutingV2GradTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "operator definition of MoeInitRoutingV2Grad",
            {entry::In("gradExpandedX", entry::kFloating),
             entry::In("expandedRowIdx", entry::kInt32), entry::Number("topK"),
             entry::Number("dropPadMode"), entry::Number("activeNum"),
             entry::Out("out", entry::As("gradExpandedX"))}};
        return table;
    }

    static aclnnStatus Check(entry::Call* call) {
        return call->Shape("expandedRowIdx").count > 0
                   ? ACLNN_SUCCESS
                   : call->Invalid("expandedRowIdx", "rank", 0, "1");
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeInitRoutingV2GradCall cut{
            call.Shape("gradExpandedX"), call.Shape("expandedRowIdx"), call.Shape("out"),
            call.Number("topK"),         call.Number("dropPadMode"),   call.Number("activeNum"),
            call.Dtype("gradExpandedX"), call.machine().vectorCores,   call.machine().ubBytes};
        return MoeInitRoutingV2GradTiling(&cut, tiling, reason, reasonBytes);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_init_routing_v2_grad(at.cores, at.stream, at["gradExpandedX"],
                                                    at["expandedRowIdx"], at["out"], at.workspace,
                                                    at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeInitRoutingV2Grad,
              (const aclTensor* gradExpandedX, const aclTensor* expandedRowIdx, int64_t topK,
               int64_t dropPadMode, int64_t activeNum, const aclTensor* out),
              gradExpandedX, expandedRowIdx, topK, dropPadMode, activeNum, out)
