// The parameters that the operators that finalize a routing have in common.
#ifndef FINALIZE_INTERFACE_H
#define FINALIZE_INTERFACE_H

#include <vector>

#include "call.h"
#include "finalize_tiling.h"

namespace finalize {

// `definition`: the source of the rules on data types.
inline std::vector<entry::Parameter> Parameters(const char* definition) {
    using namespace entry;
    const auto same = As("expandedX", definition);
    const Condition padded = Where("dropPadMode", {1, 3});
    return {
        In("expandedX", kFloating, {"rows", "hidden"}).Or({Rest("rows", 2, 2), "hidden"}, padded),
        In("expandedRowIdx", kInt32, {Times("tokens", "topK")}),
        InOrNull("expertIdxOptional", kInt32, {"tokens", "topK"}).AskedBeside("biasOptional"),
        InOrNull("x1Optional", same, {"tokens", "hidden"}).AskedBeside("x2Optional"),
        InOrNull("x2Optional", same, {"tokens", "hidden"}),
        InOrNull("biasOptional", same, {"experts", "hidden"}),
        Out("out", same, {"tokens", "hidden"}),
        InOrNull("scalesOptional", AsOrWider("expandedX", definition), {"tokens", "topK"}),
        Number("dropPadMode").Between(0, 3)};
}

inline std::vector<entry::SizeRule> Limits() {
    return {entry::OneWithout("topK", "scalesOptional"), entry::AtLeast("topK", 1),
            entry::AtLeast("experts", "topK")};
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

}  // namespace finalize

#endif
