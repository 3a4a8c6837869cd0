// The interface of MoeInitRoutingQuantV2: that of MoeInitRoutingV2, with scales of rows as int8.
#ifndef MOE_INIT_ROUTING_QUANT_V2_INTERFACE_H
#define MOE_INIT_ROUTING_QUANT_V2_INTERFACE_H

#include "../shared/routing/routing_interface.h"

namespace moe_init_routing_quant_v2 {

inline constexpr const char* kScales = "dynamicQuantScaleOutOptional";

// Without experts a scale of no rows has one for each.
inline bool HasFactors(const entry::Call& call) {
    return call.Has("scaleOptional") && call.Number("quantMode") == 1 &&
           call.Number("expertNum") > 0;
}

inline entry::Table MadeInterface() {
    using namespace entry;
    const Types fp32{{ACL_FLOAT}};
    const Condition isStatic = Where("quantMode", {0}), isDynamic = Where("quantMode", {1});
    Table table = routing::Interface(
        "aclnnMoeInitRoutingQuantV2, parameters", {{ACL_INT8}},
        {In("scaleOptional", fp32)
             .Or({1}, isStatic)
             .Or({"scaleRows", "hidden"}, isDynamic)
             .Optional(),
         InOrNull("offsetOptional", fp32, {1}).Only(isStatic), Number("quantMode").Between(0, 1)},
        {OutOrNull(kScales, fp32, {"rows"})
             .Or({Times("expertNum", "expertCapacity")}, Where("dropPadMode", {1}))
             .Only(isDynamic)});
    table.sizes.push_back(
        AtLeast("scaleRows", 1, {HasFactors, "quantMode is 1 and there are experts"}));
    return table;
}

inline const entry::Table& Interface() {
    static const entry::Table table = MadeInterface();
    return table;
}

}  // namespace moe_init_routing_quant_v2

#endif
