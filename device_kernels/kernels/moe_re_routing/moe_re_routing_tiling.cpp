// Host tiling of MoeReRouting: whether it can be done, then the cut.

#include "moe_re_routing_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"

namespace {

constexpr int64_t kTiles = 6;
constexpr int64_t kMostTileBytes = 65280;
constexpr int64_t kWordBytes = 4;
constexpr int64_t kMostLines = int64_t{1} << 32;
constexpr int64_t kUnknownAxis = -1;

// There is one at least, as a buffer of 0 bytes is none.
int64_t CursorBytes(int64_t lines) {
    return row_sum::RoundUp(kWordBytes * std::clamp<int64_t>(lines, 1, kMostLines),
                            row_sum::kBlockBytes);
}

int64_t LeastUb(int64_t lines) { return CursorBytes(lines) + kTiles * row_sum::kBlockBytes; }

int64_t TileBytes(int64_t ubBytes, int64_t lines) {
    return std::min(
        row_sum::RoundDown((ubBytes - CursorBytes(lines)) / kTiles, row_sum::kBlockBytes),
        kMostTileBytes);
}

int64_t ElementBytes(int64_t dtype) {
    constexpr int64_t fp32 = 0, int8 = 2;
    return dtype == fp32 ? 4 : dtype == int8 ? 1 : 2;
}

}  // namespace

extern "C" int32_t MoeReRoutingTiling(const MoeReRoutingCall* call, MoeReRoutingTilingData* tiling,
                                      char* reason, uint64_t reasonBytes) {
    constexpr int64_t int64Dtype = 9;
    const int64_t lines = std::min(call->ranks, call->experts);
    const int32_t status = tiling_checks::Answer(
        tiling_checks::CheckUb(call->ubBytes, LeastUb(lines),
                               " for " + std::to_string(call->ranks) + " ranks of " +
                                   std::to_string(call->experts) + " experts"),
        "host tiling of MoeReRouting", reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        const int64_t each = std::max<int64_t>(row_sum::CeilDiv(call->rows, call->cores), 1);
        *tiling = {std::max<int64_t>(row_sum::CeilDiv(call->rows, each), 1),
                   call->rows,
                   call->hidden * ElementBytes(call->dtype),
                   call->ranks,
                   call->experts,
                   call->countDtype == int64Dtype ? 2 : 1,
                   each,
                   CursorBytes(lines),
                   TileBytes(call->ubBytes, lines)};
    }
    return status;
}

extern "C" int64_t MoeReRoutingTilingLimit(const char* axisName, int64_t topK, int32_t dtype,
                                           uint32_t cores, uint64_t ubBytes, int64_t /*hidden*/) {
    const std::string axis = axisName;
    const bool isOfRows = axis == "batch" || axis == "tokens";
    if (!isOfRows && axis != "ub-bytes" && axis != "cores" && axis != "hidden") {
        return kUnknownAxis;
    }
    const int64_t least = LeastUb(topK);
    if (topK < 1) {
        return 0;
    }
    if (axis == "ub-bytes") {
        return least;
    }
    constexpr auto mostUb =
        static_cast<uint64_t>(kWordBytes * kMostLines + kTiles * kMostTileBytes);
    const auto ub = static_cast<int64_t>(std::min(ubBytes, mostUb));
    if (ub < least) {
        return 0;
    }
    if (axis == "cores") {
        return cores;
    }
    const int64_t tile = TileBytes(ub, topK);
    if (!isOfRows) {
        return tile / ElementBytes(dtype);
    }
    return tile / kWordBytes * (axis == "batch" ? 1 : cores);
}
