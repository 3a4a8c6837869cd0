// Host tiling of MoeTokenPermuteWithRoutingMapGrad: the cut of a call, and its limits. The checks
// on shapes and attributes are in ..._check.h.

#include "moe_token_permute_with_routing_map_grad_tiling.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"
#include "moe_token_permute_with_routing_map_grad_check.h"
#include "moe_token_permute_with_routing_map_grad_ub.h"

namespace {

using namespace routing_map_grad;
using row_sum::CeilDiv;

RoutingMapGradSort CutSort(int64_t rows, int64_t cores, int64_t ubBytes) {
    RoutingMapGradSort sort{};
    sort.entries = rows;
    sort.runEntries = RunEntries(rows, cores, ubBytes);
    sort.mergeEntries = MergeEntries(ubBytes);
    int64_t runs = CeilDiv(rows, sort.runEntries);
    sort.usedCores = std::min(runs, cores);
    while (runs > 1) {
        runs = CeilDiv(runs, kMergedAtOnce);
        ++sort.levels;
    }
    return sort;
}

RoutingMapGradScatter CutScatter(const Call& call, int64_t rows) {
    const int64_t used = rows > call.cores ? call.cores : 1;
    return {call.tokensNum * call.numExperts,
            call.numExperts,
            rows / call.numExperts,
            rows,
            std::min(ScatterRows(call.ubBytes), rows - rows / used * (used - 1)),
            used};
}

MoeTokenPermuteWithRoutingMapGradTilingData Cut(const Call& call) {
    const int64_t rows = call.permutedTokenOutputGrad.dims[0];
    const int64_t hidden = call.permutedTokenOutputGrad.dims[1];
    MoeTokenPermuteWithRoutingMapGradTilingData tiling{};
    tiling.dtype = call.dtype;
    tiling.rowCores = std::min(call.tokensNum, call.cores);
    if (call.dropAndPad != 0) {
        tiling.rows =
            RowUb(call.ubBytes, call.dtype, kEntryBytes).Cut(call.tokensNum, hidden, rows, rows);
        tiling.sort = CutSort(rows, call.cores, call.ubBytes);
    } else {
        tiling.topK = rows / call.tokensNum;
        tiling.rows =
            RowUb(call.ubBytes, call.dtype, tiling.topK * kIndexBytes)
                .Cut(call.tokensNum, hidden, rows, CeilDiv(call.tokensNum, tiling.rowCores));
    }
    if (WantsProbs(call) && call.dropAndPad != 0) {
        tiling.scatter = CutScatter(call, rows);
    } else if (WantsProbs(call)) {
        tiling.mask = MaskUb(call.ubBytes, ElementBytes(call.dtype))
                          .Cut(call.tokensNum, call.numExperts, call.cores);
    }
    return tiling;
}

int64_t PadLimit(const std::string& name, const row_sum::Ub& ub, uint32_t cores, int64_t hidden) {
    const int64_t least = std::max(ub.Least(), kLeastSortUb);
    if (name == "pad-ub-bytes") {
        return least;
    }
    if (ub.bytes < least) {
        return 0;
    }
    if (name == "entries") {
        return ub.MostNames(hidden);
    }
    if (name == "run" || name == "sorted") {
        return MostRunEntries(ub.bytes) * (name == "run" ? 1 : cores);
    }
    if (name == "merge") {
        return MergeEntries(ub.bytes);
    }
    return ub.MostColumns(name == "pad-hidden" ? 2 : name == "pad-three-buffers" ? 3 : 4);
}

int64_t ProbsLimit(const std::string& name, const routing_map::Ub& ub, int64_t experts) {
    if (name == "mask-ub-bytes") {
        return ub.Least();
    }
    if (name == "scatter") {
        return ScatterRows(ub.bytes);
    }
    if (ub.bytes < ub.Least()) {
        return 0;
    }
    return name == "experts" ? ub.MostExperts() : ub.MostTokens(experts);
}

bool IsOneOf(const std::string& name, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

extern "C" int32_t MoeTokenPermuteWithRoutingMapGradTiling(
    const MoeTokenPermuteWithRoutingMapGradCall* call,
    MoeTokenPermuteWithRoutingMapGradTilingData* tiling, char* reason, uint64_t reasonBytes) {
    const Reason contradiction = CheckShapes(*call);
    const Reason broken = contradiction.empty() ? CheckCapacity(*call) : contradiction;
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return contradiction.empty() ? kTilingRejected : kParameterInvalid;
    }
    *tiling = Cut(*call);
    return kAccepted;
}

extern "C" int64_t MoeTokenPermuteWithRoutingMapGradTilingLimit(const char* axis, int64_t topK,
                                                                int32_t dtype, uint32_t cores,
                                                                uint64_t ubBytes, int64_t hidden) {
    const std::string name = axis;
    const auto bytes = static_cast<int64_t>(ubBytes);
    if (name == "cores") {
        return cores;
    }
    if (IsOneOf(name, {"pad-ub-bytes", "pad-four-buffers", "pad-three-buffers", "pad-hidden",
                       "entries", "run", "sorted", "merge"})) {
        return PadLimit(name, RowUb(bytes, dtype, kEntryBytes), cores, hidden);
    }
    if (IsOneOf(name, {"mask-ub-bytes", "experts", "tile-tokens", "scatter"})) {
        return ProbsLimit(name, MaskUb(bytes, ElementBytes(dtype)), hidden);
    }
    const bool known = topK >= 1 && topK <= kMostTopK;
    const row_sum::Ub ub = RowUb(bytes, dtype, (known ? topK : 1) * kIndexBytes);
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
