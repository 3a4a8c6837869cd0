// Host tiling of MoeTokenPermuteWithRoutingMapGrad: whether a call can be done, its cut and limits.

#include "moe_token_permute_with_routing_map_grad_tiling.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"
#include "moe_token_permute_with_routing_map_grad_ub.h"

namespace {

using namespace routing_map_grad;
using row_sum::CeilDiv;
using tiling_checks::Broken;
using tiling_checks::Reason;
using Call = MoeTokenPermuteWithRoutingMapGradCall;

constexpr const char* kSource = "host tiling of MoeTokenPermuteWithRoutingMapGrad";
constexpr int32_t kParameterInvalid = 161002;
constexpr int64_t kMostSortedTokens = int64_t{1} << 24;  // keys are exact in fp32 up to there
constexpr int64_t kMostRows = (int64_t{1} << 31) - 1;    // row numbers are int32

Reason CheckRows(const Call& call) {
    const std::string parameter = "dim 0 of permutedTokenOutputGrad";
    const bool pads = call.dropAndPad != 0;
    const int64_t sharers = pads ? call.experts : call.tokens;
    if (call.rows % sharers == 0) {
        return {};
    }
    return Broken(parameter, std::to_string(call.rows),
                  std::string("a multiple of ") + (pads ? "numExperts, " : "tokensNum, ") +
                      std::to_string(sharers) + ", if dropAndPad is " + (pads ? "true" : "false"));
}

Reason CheckLimits(const Call& call) {
    const auto broken = [&](const std::string& rule) {
        return Broken("dim 0 of permutedTokenOutputGrad", std::to_string(call.rows), rule);
    };
    if (call.rows > kMostRows) {
        return broken("at most " + std::to_string(kMostRows));
    }
    if (call.dropAndPad != 0) {
        return call.tokens <= kMostSortedTokens
                   ? Reason{}
                   : Broken(
                         "tokensNum", std::to_string(call.tokens),
                         "at most " + std::to_string(kMostSortedTokens) + " if dropAndPad is true");
    }
    return call.rows / call.tokens <= kMostTopK
               ? Reason{}
               : broken("at most " + std::to_string(kMostTopK) + " times tokensNum, " +
                        std::to_string(call.tokens) + ", if dropAndPad is false");
}

int64_t LeastUb(const Call& call) {
    const bool pads = call.dropAndPad != 0;
    const int64_t topK = call.rows / call.tokens;
    const int64_t nameBytes = pads ? kEntryBytes : topK * kIndexBytes;
    int64_t least = RowUb(call.ubBytes, call.dtype, nameBytes).Least();
    if (pads) {
        // One row of SCATTER takes less than one run.
        least = std::max(least, kLeastSortUb);
    } else if (call.hasProbs != 0) {
        least = std::max(least, MaskUb(call.ubBytes, ElementBytes(call.dtype)).Least());
    }
    return least;
}

Reason CheckCapacity(const Call& call) {
    const Reason reason = CheckLimits(call);
    return reason.empty() ? tiling_checks::CheckUb(call.ubBytes, LeastUb(call), " for this call")
                          : reason;
}

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
    return {call.tokens * call.experts,
            call.experts,
            rows / call.experts,
            rows,
            std::min(ScatterRows(call.ubBytes), rows - rows / used * (used - 1)),
            used};
}

MoeTokenPermuteWithRoutingMapGradTilingData Cut(const Call& call) {
    const int64_t rows = call.rows;
    const int64_t hidden = call.hidden;
    MoeTokenPermuteWithRoutingMapGradTilingData tiling{};
    tiling.dtype = call.dtype;
    tiling.rowCores = std::min(call.tokens, call.cores);
    if (call.dropAndPad != 0) {
        tiling.rows =
            RowUb(call.ubBytes, call.dtype, kEntryBytes).Cut(call.tokens, hidden, rows, rows);
        tiling.sort = CutSort(rows, call.cores, call.ubBytes);
    } else {
        tiling.topK = rows / call.tokens;
        tiling.rows = RowUb(call.ubBytes, call.dtype, tiling.topK * kIndexBytes)
                          .Cut(call.tokens, hidden, rows, CeilDiv(call.tokens, tiling.rowCores));
    }
    if (call.hasProbs != 0 && call.dropAndPad != 0) {
        tiling.scatter = CutScatter(call, rows);
    } else if (call.hasProbs != 0) {
        tiling.mask = MaskUb(call.ubBytes, ElementBytes(call.dtype))
                          .Cut(call.tokens, call.experts, call.cores);
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
    int32_t status =
        tiling_checks::Answer(CheckRows(*call), kSource, reason, reasonBytes, kParameterInvalid);
    if (status == tiling_checks::kAccepted) {
        status = tiling_checks::Answer(CheckCapacity(*call), kSource, reason, reasonBytes);
    }
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
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
