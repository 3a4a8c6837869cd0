// The interface of MoeInitRoutingQuantV2: that of MoeInitRoutingV2, with scales of rows as int8.
#ifndef MOE_INIT_ROUTING_QUANT_V2_INTERFACE_H
#define MOE_INIT_ROUTING_QUANT_V2_INTERFACE_H

#include "../shared/routing/routing_interface.h"

namespace moe_init_routing_quant_v2 {

inline constexpr const char* kScales = "dynamicQuantScaleOutOptional";

inline const entry::Table& Interface() {
    using namespace entry;
    const Types fp32{{ACL_FLOAT}};
    const Condition isStatic = Where("quantMode", {0}), isDynamic = Where("quantMode", {1});
    static const Table table = routing::Interface(
        "aclnnMoeInitRoutingQuantV2, parameters", {{ACL_INT8}},
        {In("scaleOptional", fp32)
             .Or({1}, isStatic)
             .Or({"scaleRows", "hidden"}, isDynamic)
             .Optional(),
         InOrNull("offsetOptional", fp32, {1}).Only(isStatic), Number("quantMode").Between(0, 1)},
        {OutOrNull(kScales, fp32, {"rows"})
             .Or({Times("expertNum", "expertCapacity")}, Where("dropPadMode", {1}))
             .Only(isDynamic)});
    return table;
}

}  // namespace moe_init_routing_quant_v2

#endif
