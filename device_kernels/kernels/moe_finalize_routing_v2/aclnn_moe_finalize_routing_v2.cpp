// MoeFinalizeRoutingV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_finalize_routing_v2.h"

#include "aclrtlaunch_moe_finalize_routing_v2.h"
#include "moe_finalize_routing_v2_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV2TilingData> {
    static const entry::Table& Interface() {
        const char* definition = "operator definition of MoeFinalizeRoutingV2";
        const auto same = entry::As("expandedX");
        static const entry::Table table{
            "MoeFinalizeRoutingV2 README, parameters",
            {entry::In("expandedX", entry::kFloating), entry::In("expandedRowIdx", entry::kInt32),
             entry::In("expertIdxOptional", entry::kInt32).Optional(),
             entry::In("x1Optional", same).Optional().From(definition),
             entry::In("x2Optional", same).Optional().From(definition),
             entry::In("biasOptional", same).Optional().From(definition),
             entry::Out("out", same).From(definition),
             entry::In("scalesOptional", entry::AsOrWider("expandedX")).Optional().From(definition),
             entry::Number("dropPadMode")}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        static_assert(ACL_DT_UNDEFINED == -1, "what the tiling takes for absent scales");
        const MoeFinalizeRoutingV2Call cut{
            call.Shape("expandedX"),         call.Shape("expandedRowIdx"),
            call.Shape("x1Optional"),        call.Shape("x2Optional"),
            call.Shape("biasOptional"),      call.Shape("scalesOptional"),
            call.Shape("expertIdxOptional"), call.Shape("out"),
            call.Has("x1Optional"),          call.Has("x2Optional"),
            call.Has("biasOptional"),        call.Has("expertIdxOptional"),
            call.Number("dropPadMode"),      call.Dtype("expandedX"),
            call.Dtype("scalesOptional"),    call.machine().vectorCores,
            call.machine().ubBytes};
        return MoeFinalizeRoutingV2Tiling(&cut, tiling, reason, reasonBytes);
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
