// MoeInitRoutingV2Grad in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"

#include "aclrtlaunch_moe_init_routing_v2_grad.h"
#include "moe_init_routing_v2_grad_tiling.h"
#include "two_phase.h"

namespace {

int64_t SourceRows(const entry::Call& call) {
    const int64_t active = call.Number("activeNum");
    return active > 0 ? active : call.Shape("expandedRowIdx").values[0];
}

struct Kernel : entry::Operator<Kernel, MoeInitRoutingV2GradTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const Condition padded = Where("dropPadMode", {1});
        const Condition dropless = Both(Where("dropPadMode", {0}), Where("activeNum", {0}));
        static const Table table{
            "operator definition of MoeInitRoutingV2Grad",
            {In("gradExpandedX", kFloating, {"rows", "hidden", Rest("others", 0, 1)})
                 .Or({"experts", "capacity", "hidden"}, padded),
             In("expandedRowIdx", kInt32, {Times("tokens", "topK"), Rest("all others", 0)}),
             Number("topK"), Number("dropPadMode").Between(0, 1), Number("activeNum"),
             Out("out", As("gradExpandedX"), {"tokens", "hidden"})},
            Stage::TILING,
            {Is("rows", SourceRows, "activeNum, or dim 0 of expandedRowIdx if that is 0"),
             AtLeast("topK", 1), AtLeast("activeNum", 0), AtLeast("all others", 1),
             AtLeast("others", 1, dropless)}};
        return table;
    }

    static aclnnStatus Check(entry::Call* call) {
        return call->Shape("expandedRowIdx").count > 0
                   ? ACLNN_SUCCESS
                   : call->Invalid("expandedRowIdx", "rank", 0, "1");
    }

    static constexpr auto kTiling = MoeInitRoutingV2GradTiling;
    static MoeInitRoutingV2GradCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),        call.Number("topK"),      call.Size("hidden"),
                call.Number("dropPadMode"), call.Number("activeNum"), call.Dtype("gradExpandedX"),
                call.machine().vectorCores, call.machine().ubBytes};
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
