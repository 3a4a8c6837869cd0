// MoeFinalizeRouting in two phases, as aclnn and as kernel entry: the first mode of
// MoeFinalizeRoutingV2, of which all but x2 must be given.

#include "aclnnop/aclnn_moe_finalize_routing.h"

#include "aclrtlaunch_moe_finalize_routing.h"
#include "moe_finalize_routing_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kRows = "expandedX";
constexpr const char* kExperts = "expandedExpertIdx";

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const auto same = As(kRows);
        static const Table table{
            "aclnnMoeFinalizeRouting, parameters",
            {In(kRows, kFloating, {Times("tokens", "topK"), "hidden"}),
             In("x1", same, {"tokens", "hidden"}),
             InOrNull("x2Optional", same, {"tokens", "hidden"}),
             In("bias", same, {"experts", "hidden"}), In("scales", same, {"tokens", "topK"}),
             In("expandedRowIdx", kInt32, {Times("tokens", "topK")}),
             In(kExperts, kInt32, {"tokens", "topK"}), Out("out", same, {"tokens", "hidden"})},
            Stage::TILING,
            {AtLeast("topK", 1), AtLeast("experts", "topK")}};
        return table;
    }

    static constexpr auto kTiling = MoeFinalizeRoutingTiling;
    static MoeFinalizeRoutingCall Seen(const entry::Call& call) {
        return {{call.Size("tokens"), call.Size("topK"), call.Size("hidden"),
                 call.Size("tokens") * call.Size("topK"), call.Size("experts"), /*hasX1=*/1,
                 call.Has("x2Optional"), /*dropPadMode=*/0, call.Dtype(kRows), call.Dtype("scales"),
                 call.machine().vectorCores, call.machine().ubBytes}};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_finalize_routing(
            at.cores, at.stream, at[kRows], at["x1"], at["x2Optional"], at["bias"], at["scales"],
            at["expandedRowIdx"], at[kExperts], at["out"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeFinalizeRouting,
              (const aclTensor* expandedX, const aclTensor* x1, const aclTensor* x2Optional,
               const aclTensor* bias, const aclTensor* scales, const aclTensor* expandedRowIdx,
               const aclTensor* expandedExpertIdx, const aclTensor* out),
              expandedX, x1, x2Optional, bias, scales, expandedRowIdx, expandedExpertIdx, out)
