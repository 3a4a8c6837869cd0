// The interface of MoeInitRoutingV3: its parameters, and the rules on them.
#ifndef MOE_INIT_ROUTING_V3_INTERFACE_H
#define MOE_INIT_ROUTING_V3_INTERFACE_H

#include <algorithm>
#include <cstdint>

#include "call.h"

namespace moe_init_routing_v3 {

inline constexpr const char* kCounts = "expertTokensCountOrCumsumOut";
inline constexpr const char* kScales = "expandedScaleOut";
inline constexpr const char* kRange = "activeExpertRangeOptional";
inline constexpr const char* kType = "expertTokensNumType";
inline constexpr const char* kFlag = "expertTokensNumFlag";

// The slots that may have a row, where rows are not the experts' places.
inline int64_t ActiveRows(const entry::Call& call) {
    const int64_t slots = call.Size("tokens") * call.Size("topK");
    return call.Number("activeNum") <= 0 ? slots : std::min(call.Number("activeNum"), slots);
}

// The tiling says what is wrong with a range that is none.
inline int64_t RangeExperts(const entry::Call& call) {
    const entry::Values range = call.List(kRange);
    const bool isRange = range.count == 2 && range.values[0] >= 0 &&
                         range.values[1] > range.values[0] &&
                         range.values[1] <= call.Number("expertNum");
    return isRange ? range.values[1] - range.values[0] : call.Number("expertNum");
}

// Whether expandedScaleOut is written: the scales of tokens, or those of the rows.
inline bool GivesScales(const entry::Call& call) {
    const int64_t quantMode = call.Number("quantMode");
    return quantMode == 1 || (quantMode == -1 && call.Has("scaleOptional"));
}

inline bool HasFactors(const entry::Call& call) {
    return call.Has("scaleOptional") && call.Number("quantMode") == 1;
}

inline const entry::Table& Interface() {
    using namespace entry;
    const Types values{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8}}, fp32{{ACL_FLOAT}};
    const Condition padded = Where("dropPadMode", {1});
    const Condition isStatic = Where("quantMode", {0});
    const Condition counted = Where(kFlag, {1});
    const Condition scaled{GivesScales, "rows have scales"};
    static const Table table{
        "aclnnMoeInitRoutingV3, parameters",
        {In("x", values, {"tokens", "hidden"}), In("expertIdx", kInt32, {"tokens", "topK"}),
         In("scaleOptional", fp32)
             .Or({"tokens"}, Where("quantMode", {-1}))
             .Or({1}, isStatic)
             .Or({"scaleRows", "hidden"}, Where("quantMode", {1}))
             .Optional(),
         InOrNull("offsetOptional", fp32, {1}).Only(isStatic), Number("quantMode").Between(-1, 1),
         Number("activeNum"), Number("expertCapacity"), Number("expertNum"),
         Number("dropPadMode").Between(0, 1), Number(kType).Between(0, 2), Number(kFlag),
         List(kRange), Number("rowIdxType").Between(0, 1),
         Out("expandedXOut", values, {"rows", "hidden"})
             .Or({"expertNum", "expertCapacity", "hidden"}, padded),
         Out("expandedRowIdxOut", kInt32, {Times("tokens", "topK")}),
         Out(kCounts, {{ACL_INT64}}, {"rangeExperts"})
             .Or({"expertNum", 2}, Where(kType, {2}))
             .Only(counted),
         Out(kScales, fp32, {"rows"})
             .Or({Times("expertNum", "expertCapacity")}, padded)
             .Only(scaled)},
        Stage::TILING,
        {Is("rows", ActiveRows, "the number of slots that activeNum keeps"),
         Is("rangeExperts", RangeExperts, "the number of experts in activeExpertRangeOptional"),
         AtLeast("scaleRows", 1, {HasFactors, "quantMode is 1"}), AtLeast("activeNum", -1),
         AtLeast("expertNum", 1), AtLeast("expertCapacity", 1, padded),
         AtMost("expertCapacity", "tokens", padded), AtMost("rowIdxType", 0, padded),
         AtLeast(kType, 1, Both(padded, counted)), AtMost(kType, 1, Both(padded, counted))}};
    return table;
}

// 161002 for data types that do not go together: quantised rows are int8, others as x. Of another
// quantMode the table says that it is none, before other numbers.
inline aclnnStatus CheckTypes(const entry::Call& call) {
    const int64_t quantMode = call.Number("quantMode");
    if (quantMode < -1 || quantMode > 1) {
        return ACLNN_SUCCESS;
    }
    const bool isQuantised = quantMode != -1;
    const aclDataType ofX = call.Dtype("x"), ofRows = call.Dtype("expandedXOut");
    if (isQuantised && ofX == ACL_INT8) {
        return call.Invalid("x", "data type", ofX, "a float type unless quantMode is -1");
    }
    return ofRows == (isQuantised ? ACL_INT8 : ofX)
               ? ACLNN_SUCCESS
               : call.Invalid("expandedXOut", "data type", ofRows,
                              isQuantised
                                  ? "int8, 2, unless quantMode is -1"
                                  : "that of x, " + std::to_string(ofX) + ", if quantMode is -1");
}

}  // namespace moe_init_routing_v3

#endif
