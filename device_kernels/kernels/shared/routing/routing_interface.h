// What operators that copy or quantise tokens in the order of their experts have in common of their
// interfaces.
#ifndef ROUTING_INTERFACE_H
#define ROUTING_INTERFACE_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "routing_call.h"
#include "two_phase.h"

namespace routing {

inline constexpr const char* kCumsum = "expertTokensCountOrCumsumOutOptional";
inline constexpr const char* kBefore = "expertTokensBeforeCapacityOutOptional";
inline constexpr const char* kCountsFlag = "expertTokensCountOrCumsumFlag";
inline constexpr const char* kBeforeFlag = "expertTokensBeforeCapacityFlag";

// The slots that have a row, where rows are not the experts' places.
inline int64_t ActiveRows(const entry::Call& call) {
    const int64_t slots = call.Size("tokens") * call.Size("topK");
    return call.Number("activeNum") == 0 ? slots : std::min(call.Number("activeNum"), slots);
}

// With rows of such types. What else the operator has stands behind the inputs and the outputs.
inline entry::Table Interface(const char* source, const entry::Types& ofRows,
                              const std::vector<entry::Parameter>& inputs = {},
                              const std::vector<entry::Parameter>& outputs = {}) {
    using namespace entry;
    const Condition padded = Where("dropPadMode", {1}), dropless = Where("dropPadMode", {0});
    const Condition counted = Where(kCountsFlag, {1, 2});
    Table table{
        source,
        {In("x", kFloating, {"tokens", "hidden"}), In("expertIdx", kInt32, {"tokens", "topK"})},
        Stage::TILING,
        {Is("rows", ActiveRows, "the number of slots that activeNum keeps"),
         AtLeast("activeNum", 0), AtLeast("expertCapacity", 0), AtLeast("expertNum", 0),
         AtLeast("expertNum", 1, padded), AtLeast("expertNum", 1, counted),
         AtLeast("expertCapacity", 1, padded), AtMost("expertCapacity", "tokens", padded)}};
    const std::vector<Parameter> others{
        Number("activeNum"),
        Number("expertCapacity"),
        Number("expertNum"),
        Number("dropPadMode").Between(0, 1),
        Number(kCountsFlag).Between(0, 2),
        Number(kBeforeFlag),
        Out("expandedXOut", ofRows, {"rows", "hidden"})
            .Or({"expertNum", "expertCapacity", "hidden"}, padded),
        Out("expandedRowIdxOut", kInt32, {Times("tokens", "topK")}),
        OutOrNull(kCumsum, kInt32, {"expertNum"}).Only(Both(dropless, counted)),
        OutOrNull(kBefore, kInt32, {"expertNum"}).Only(Both(padded, Where(kBeforeFlag, {1})))};
    for (const auto& more : {inputs, others, outputs}) {
        table.parameters.insert(table.parameters.end(), more.begin(), more.end());
    }
    return table;
}

inline RoutingCall Seen(const entry::Call& call) {
    const bool pads = call.Number("dropPadMode") == 1;
    return {call.Size("tokens"),      call.Size("topK"),
            call.Size("hidden"),      call.Size("rows"),
            call.Number("expertNum"), pads ? call.Number("expertCapacity") : 0,
            call.Number(kCountsFlag), call.Number(kBeforeFlag),
            call.Dtype("x"),          call.machine().vectorCores,
            call.machine().ubBytes};
}

// Numbers of slots go to one of two outputs, as the mode says; the other one is not touched.
template <typename Self, typename TilingData>
struct Operator : entry::Operator<Self, TilingData> {
    static int64_t Cores(const TilingData& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const TilingData& tiling) { return tiling.slots.workspaceBytes; }

    static const char* CountsOf(const TilingData& tiling) {
        return tiling.capacity > 0 ? kBefore : kCumsum;
    }
    static void* Counts(const entry::Launch& at, const TilingData& tiling) {
        return tiling.counted.counts == 0 ? nullptr : at[CountsOf(tiling)];
    }
    static bool Touches(const char* name, const TilingData& tiling) {
        const bool isCounts = std::strcmp(name, kCumsum) == 0 || std::strcmp(name, kBefore) == 0;
        return !isCounts ||
               (tiling.counted.counts != 0 && std::strcmp(name, CountsOf(tiling)) == 0);
    }
};

}  // namespace routing

#endif
