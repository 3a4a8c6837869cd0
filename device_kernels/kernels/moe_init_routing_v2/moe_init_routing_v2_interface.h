// The interface of MoeInitRoutingV2: its parameters, and the rules on them.
#ifndef MOE_INIT_ROUTING_V2_INTERFACE_H
#define MOE_INIT_ROUTING_V2_INTERFACE_H

#include <algorithm>
#include <cstdint>

#include "call.h"

namespace moe_init_routing_v2 {

inline constexpr const char* kCumsum = "expertTokensCountOrCumsumOutOptional";
inline constexpr const char* kBefore = "expertTokensBeforeCapacityOutOptional";
inline constexpr const char* kCountsFlag = "expertTokensCountOrCumsumFlag";
inline constexpr const char* kBeforeFlag = "expertTokensBeforeCapacityFlag";

// The slots that have a row, where rows are not the experts' places.
inline int64_t ActiveRows(const entry::Call& call) {
    const int64_t slots = call.Size("tokens") * call.Size("topK");
    return call.Number("activeNum") == 0 ? slots : std::min(call.Number("activeNum"), slots);
}

inline const entry::Table& Interface() {
    using namespace entry;
    const Condition padded = Where("dropPadMode", {1}), dropless = Where("dropPadMode", {0});
    const Condition counted = Where(kCountsFlag, {1, 2});
    static const Table table{
        "operator definition of MoeInitRoutingV2",
        {In("x", kFloating, {"tokens", "hidden"}), In("expertIdx", kInt32, {"tokens", "topK"}),
         Number("activeNum"), Number("expertCapacity"), Number("expertNum"),
         Number("dropPadMode").Between(0, 1), Number(kCountsFlag).Between(0, 2),
         Number(kBeforeFlag),
         Out("expandedXOut", As("x"), {"rows", "hidden"})
             .Or({"expertNum", "expertCapacity", "hidden"}, padded),
         Out("expandedRowIdxOut", kInt32, {Times("tokens", "topK")}),
         OutOrNull(kCumsum, kInt32, {"expertNum"}).Only(Both(dropless, counted)),
         OutOrNull(kBefore, kInt32, {"expertNum"}).Only(Both(padded, Where(kBeforeFlag, {1})))},
        Stage::TILING,
        {Is("rows", ActiveRows, "the number of slots that activeNum keeps"),
         AtLeast("activeNum", 0), AtLeast("expertCapacity", 0), AtLeast("expertNum", 0),
         AtLeast("expertNum", 1, padded), AtLeast("expertNum", 1, counted),
         AtLeast("expertCapacity", 1, padded), AtMost("expertCapacity", "tokens", padded)}};
    return table;
}

}  // namespace moe_init_routing_v2

#endif
