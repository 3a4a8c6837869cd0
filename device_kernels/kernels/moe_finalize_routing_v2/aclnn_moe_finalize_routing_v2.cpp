// MoeFinalizeRoutingV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_finalize_routing_v2.h"

#include "aclrtlaunch_moe_finalize_routing_v2.h"
#include "moe_finalize_routing_v2_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV2TilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const char* definition = "operator definition of MoeFinalizeRoutingV2";
        const auto same = As("expandedX", definition);
        const Condition padded = Where("dropPadMode", {1, 3});
        static const Table table{
            "MoeFinalizeRoutingV2 README, parameters",
            {In("expandedX", kFloating, {"rows", "hidden"})
                 .Or({Rest("rows", 2, 2), "hidden"}, padded),
             In("expandedRowIdx", kInt32, {Times("tokens", "topK")}),
             InOrNull("expertIdxOptional", kInt32, {"tokens", "topK"}).AskedBeside("biasOptional"),
             InOrNull("x1Optional", same, {"tokens", "hidden"}).AskedBeside("x2Optional"),
             InOrNull("x2Optional", same, {"tokens", "hidden"}),
             InOrNull("biasOptional", same, {"experts", "hidden"}),
             Out("out", same, {"tokens", "hidden"}),
             InOrNull("scalesOptional", AsOrWider("expandedX", definition), {"tokens", "topK"}),
             Number("dropPadMode").Between(0, 3)},
            Stage::TILING,
            {OneWithout("topK", "scalesOptional"), AtLeast("topK", 1), AtLeast("experts", "topK")}};
        return table;
    }

    static constexpr auto kTiling = MoeFinalizeRoutingV2Tiling;
    static MoeFinalizeRoutingV2Call Seen(const entry::Call& call) {
        return {call.Size("tokens"),        call.Size("topK"),
                call.Size("hidden"),        call.Size("rows"),
                call.Size("experts"),       call.Has("x1Optional"),
                call.Has("x2Optional"),     call.Number("dropPadMode"),
                call.Dtype("expandedX"),    call.Dtype("scalesOptional"),
                call.machine().vectorCores, call.machine().ubBytes};
    }

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
