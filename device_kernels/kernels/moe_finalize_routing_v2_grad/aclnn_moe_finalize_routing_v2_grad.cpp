// MoeFinalizeRoutingV2Grad in two phases, as aclnn and as kernel entry. Without scales their
// gradient is not written, and of the optional tensors none is read.

#include "aclnnop/aclnn_moe_finalize_routing_v2_grad.h"

#include <algorithm>

#include "aclrtlaunch_moe_finalize_routing_v2_grad.h"
#include "moe_finalize_routing_v2_grad_tiling.h"
#include "two_phase.h"

namespace {

// The rows of expandedX, and of its gradient, where they are not the experts' places.
int64_t ActiveRows(const entry::Call& call) {
    const int64_t slots = call.Shape("expandedRowIdx").values[0];
    return call.Number("activeNum") > 0 ? std::min(call.Number("activeNum"), slots) : slots;
}

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV2GradTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const auto same = As("gradY");
        const Condition padded = Where("dropPadMode", {1}), scaled = Given("scalesOptional");
        const Condition biased = Both(scaled, Given("biasOptional"));
        const Axes places{"expertNum", "expertCapacity", "hidden"};
        static const Table table{
            "MoeFinalizeRoutingV2Grad README, parameters",
            {In("gradY", kFloating, {"tokens", "hidden"}),
             In("expandedRowIdx", kInt32, {Times("tokens", "topK")}),
             InOrNull("expertIdxOptional", kInt32, {"tokens", "topK"}).Only(biased),
             InOrNull("expandedXOptional", same, {"rows", "hidden"})
                 .Or(places, padded)
                 .Only(scaled),
             InOrNull("scalesOptional", same, {"tokens", "topK"}),
             InOrNull("biasOptional", same, {"experts", "hidden"})
                 .Or({"expertNum", "hidden"}, padded)
                 .Only(biased),
             Number("dropPadMode").Between(0, 1), Number("activeNum"), Number("expertNum"),
             Number("expertCapacity"),
             Out("gradExpandedXOut", same, {"rows", "hidden"}).Or(places, padded),
             Out("gradScalesOut", same, {"tokens", "topK"}).NeededBeside("scalesOptional")},
            Stage::TILING,
            {OneWithout("topK", "scalesOptional"), Is("rows", ActiveRows, "the active slots"),
             AtLeast("tokens", 1), AtLeast("hidden", 1), AtLeast("topK", 1), AtLeast("experts", 1),
             AtLeast("expertNum", 1, padded), AtLeast("expertCapacity", 1, padded)}};
        return table;
    }

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
