// MoeFinalizeRoutingV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_finalize_routing_v2.h"

#include "../shared/finalize/finalize_interface.h"
#include "aclrtlaunch_moe_finalize_routing_v2.h"
#include "moe_finalize_routing_v2_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV2TilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "MoeFinalizeRoutingV2 README, parameters",
            finalize::Parameters("operator definition of MoeFinalizeRoutingV2"),
            entry::Stage::TILING, finalize::Limits()};
        return table;
    }

    static constexpr auto kTiling = MoeFinalizeRoutingV2Tiling;
    static MoeFinalizeRoutingV2Call Seen(const entry::Call& call) { return {finalize::Seen(call)}; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_finalize_routing_v2(
            at.cores, at.stream, at["expandedX"], at["expandedRowIdx"], at["x1Optional"],
            at["x2Optional"], at["biasOptional"], at["scalesOptional"], at["expertIdxOptional"],
            at["out"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeFinalizeRoutingV2,
              (const aclTensor* expandedX, const aclTensor* expandedRowIdx,
               const aclTensor* x1Optional, const aclTensor* x2Optional,
               const aclTensor* biasOptional, const aclTensor* scalesOptional,
               const aclTensor* expertIdxOptional, int64_t dropPadMode, const aclTensor* out),
              expandedX, expandedRowIdx, expertIdxOptional, x1Optional, x2Optional, biasOptional,
              out, scalesOptional, dropPadMode)
