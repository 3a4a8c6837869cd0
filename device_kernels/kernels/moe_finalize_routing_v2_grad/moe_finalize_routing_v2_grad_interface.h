// The interface of MoeFinalizeRoutingV2Grad: its parameters, and the rules on them.
#ifndef MOE_FINALIZE_ROUTING_V2_GRAD_INTERFACE_H
#define MOE_FINALIZE_ROUTING_V2_GRAD_INTERFACE_H

#include <algorithm>
#include <cstdint>

#include "call.h"

namespace moe_finalize_routing_v2_grad {

// The rows of expandedX, and of its gradient, where they are not the experts' places.
inline int64_t ActiveRows(const entry::Call& call) {
    const int64_t slots = call.Shape("expandedRowIdx").values[0];
    return call.Number("activeNum") > 0 ? std::min(call.Number("activeNum"), slots) : slots;
}

inline const entry::Table& Interface() {
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
         InOrNull("expandedXOptional", same, {"rows", "hidden"}).Or(places, padded).Only(scaled),
         InOrNull("scalesOptional", same, {"tokens", "topK"}),
         InOrNull("biasOptional", same, {"experts", "hidden"})
             .Or({"expertNum", "hidden"}, padded)
             .Only(biased),
         Number("dropPadMode").Between(0, 1), Number("activeNum"), Number("expertNum"),
         Number("expertCapacity"),
         Out("gradExpandedXOut", same, {"rows", "hidden"}).Or(places, padded),
         Out("gradScalesOut", same, {"tokens", "topK"}).NeededBeside("scalesOptional")},
        Stage::TILING,
        {OneWithout("topK", "scalesOptional"),
         Is("rows", ActiveRows, "the number of slots that activeNum keeps"), AtLeast("tokens", 1),
         AtLeast("hidden", 1), AtLeast("topK", 1), AtLeast("experts", 1),
         AtLeast("expertNum", 1, padded), AtLeast("expertCapacity", 1, padded)}};
    return table;
}

}  // namespace moe_finalize_routing_v2_grad

#endif
