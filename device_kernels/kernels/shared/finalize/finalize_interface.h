// The parameters that the operators that finalize a routing have in common.
#ifndef FINALIZE_INTERFACE_H
#define FINALIZE_INTERFACE_H

#include <algorithm>
#include <string>
#include <vector>

#include "call.h"
#include "finalize_tiling.h"

namespace finalize {

inline constexpr const char* kZero = "zeroExpertRange";
inline constexpr const char* kCopy = "copyExpertRange";
inline constexpr const char* kConstant = "constantExpertRange";

inline entry::Condition Padded() { return entry::Where("dropPadMode", {1, 3}); }

// Rows of any number, and with padding places of any experts.
inline entry::Parameter AnyRows() {
    using namespace entry;
    return In("expandedX", kFloating, {"rows", "hidden"})
        .Or({Rest("rows", 2, 2), "hidden"}, Padded());
}

// `definition`: the source of the rules on data types.
inline std::vector<entry::Parameter> Parameters(const char* definition,
                                                const entry::Parameter& rows = AnyRows()) {
    using namespace entry;
    const auto same = As("expandedX", definition);
    return {rows,
            In("expandedRowIdx", kInt32, {Times("tokens", "topK")}),
            InOrNull("expertIdxOptional", kInt32, {"tokens", "topK"}).AskedBeside("biasOptional"),
            InOrNull("x1Optional", same, {"tokens", "hidden"}).AskedBeside("x2Optional"),
            InOrNull("x2Optional", same, {"tokens", "hidden"}),
            InOrNull("biasOptional", same, {"experts", "hidden"}),
            Out("out", same, {"tokens", "hidden"}),
            InOrNull("scalesOptional", AsOrWider("expandedX", definition), {"tokens", "topK"}),
            Number("dropPadMode").Between(0, 3)};
}

inline entry::Condition AnyOf(const std::vector<const char*>& lists) {
    std::string text;
    for (const char* list : lists) {
        text += (text.empty() ? "" : " or ") + std::string(list);
    }
    const auto holds = [lists](const entry::Call& call) {
        return std::any_of(lists.begin(), lists.end(),
                           [&call](const char* list) { return call.HasList(list); });
    };
    return {holds, text + " is given"};
}

// A row for each slot, or with padding places of the experts that the bias has.
inline entry::Parameter RowsOfSlots() {
    using namespace entry;
    return In("expandedX", kFloating, {Times("tokens", "topK"), "hidden"})
        .Or({"experts", "places", "hidden"}, Padded());
}

// The parameters with such rows, and ranges of special experts with what these read: tensors that
// no range reads may have any shape. A k counts without scales, or if it is above 1.
inline std::vector<entry::Parameter> RangedParameters(bool hasK) {
    using namespace entry;
    const char* definition = "operator definition of MoeFinalizeRoutingV2";
    const auto same = As("expandedX", definition);
    const Condition constant = AnyOf({kConstant});
    std::vector<Parameter> all = Parameters(definition, RowsOfSlots());
    for (const char* range : {kZero, kCopy, kConstant}) {
        all.push_back(List(range).OfLength(2));
    }
    all.push_back(
        InOrNull("xOptional", same, {"tokens", "hidden"}).Only(AnyOf({kCopy, kConstant})));
    for (const char* tensor : {"alpha1Optional", "alpha2Optional", "vOptional"}) {
        all.push_back(InOrNull(tensor, same, {"constants", "hidden"}).Only(constant));
    }
    if (hasK) {
        all.push_back(Number("k", "topK", {[](const Call& call) {
                                 return !call.Has("scalesOptional") || call.Number("k") > 1;
                             }}));
    }
    return all;
}

// `named`: the calls in which there must be an expert for each slot of a token.
inline std::vector<entry::SizeRule> Limits(const entry::Condition& named = {}) {
    return {entry::OneWithout("topK", "scalesOptional"), entry::AtLeast("topK", 1),
            entry::AtLeast("experts", "topK", named)};
}

// The call as the host tilings see it.
inline FinalizeCall Seen(const entry::Call& call) {
    return {call.Size("tokens"),        call.Size("topK"),
            call.Size("hidden"),        call.Size("rows"),
            call.Size("experts"),       call.Has("x1Optional"),
            call.Has("x2Optional"),     call.Number("dropPadMode"),
            call.Dtype("expandedX"),    call.Dtype("scalesOptional"),
            call.machine().vectorCores, call.machine().ubBytes};
}

inline FinalizeRangesCall SeenRanged(const entry::Call& call) {
    FinalizeCall seen = Seen(call);
    seen.rows = Padded().holds(call) ? call.Size("experts") * call.Size("places")
                                     : call.Size("tokens") * call.Size("topK");
    seen.biasRows = call.Has("biasOptional") ? call.Size("experts") : 0;
    return {seen,
            call.List(kZero),
            call.List(kCopy),
            call.List(kConstant),
            call.Size("constants"),
            call.Has("expertIdxOptional")};
}

}  // namespace finalize

#endif
