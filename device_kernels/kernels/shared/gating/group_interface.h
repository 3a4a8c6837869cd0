// The parameters that the operators with a choice of experts by group have in common.
#ifndef GROUP_INTERFACE_H
#define GROUP_INTERFACE_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "call.h"
#include "gating_interface.h"
#include "group_cut.h"

namespace group_gating {

inline constexpr const char* kResult = "outOut";

// `lookup` are the operator's own, behind the bias.
inline std::vector<entry::Parameter> Parameters(const std::vector<entry::Parameter>& lookup = {}) {
    using namespace entry;
    std::vector<Parameter> all{In("x", kFloating, {"rows", "experts"}),
                               InOrNull("biasOptional", As("x"), {"experts"})};
    all.insert(all.end(), lookup.begin(), lookup.end());
    const Parameter others[] = {Number("k").Between(1, kMostExperts),
                                Number("kGroup").Between(1, kMostExperts),
                                Number("groupCount").Between(1, kMostExperts),
                                Number("groupSelectMode").Between(0, 1),
                                Number("renorm").Between(0, 1),
                                Number("normType").Between(0, 2),
                                Number("outFlag"),
                                Real("routedScalingFactor"),
                                Real("eps"),
                                Out("yOut", As("x"), {"rows", "k"}),
                                Out("expertIdxOut", kInt32, {"rows", "k"}),
                                Out(kResult, gating::kFp32, {"rows", "experts"})};
    all.insert(all.end(), std::begin(others), std::end(others));
    return all;
}

inline std::vector<entry::SizeRule> Limits() {
    return {entry::AtLeast("experts", 1), entry::AtMost("experts", kMostExperts),
            entry::AtMost("kGroup", "groupCount")};
}

// The call as the host tiling of the operator sees it.
template <typename Call>
Call Seen(const entry::Call& call) {
    Call seen{};
    seen.rows = call.Size("rows");
    seen.experts = call.Size("experts");
    seen.k = call.Number("k");
    seen.kGroup = call.Number("kGroup");
    seen.groupCount = call.Number("groupCount");
    seen.groupSelectMode = call.Number("groupSelectMode");
    seen.renorm = call.Number("renorm");
    seen.normType = call.Number("normType");
    seen.outFlag = call.Number("outFlag");
    seen.routedScalingFactor = call.Real("routedScalingFactor");
    seen.eps = call.Real("eps");
    seen.dtype = call.Dtype("x");
    seen.cores = call.machine().vectorCores;
    seen.ubBytes = call.machine().ubBytes;
    return seen;
}

inline bool Touches(const char* name, const GroupGatingTiling& tiling) {
    return tiling.hasResult != 0 || std::strcmp(name, kResult) != 0;
}

}  // namespace group_gating

#endif
