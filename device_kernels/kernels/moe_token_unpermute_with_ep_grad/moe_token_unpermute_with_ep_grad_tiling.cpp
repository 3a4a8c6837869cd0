// Host tiling of MoeTokenUnpermuteWithEpGrad: whether it can be done, then the cut.

#include "moe_token_unpermute_with_ep_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/slots/rank_range.h"
#include "../shared/slots/weighed_grad_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteWithEpGrad";

using Call = MoeTokenUnpermuteWithEpGradCall;
using TilingData = MoeTokenUnpermuteWithEpGradTilingData;
using rank_range::Range;
using tiling_checks::Reason;

// A bound of the range as a rank, or the number of slots: below 0 it counts from there.
int64_t Bound(const Call& call, int at) {
    const int64_t slots = call.tokens * call.topK;
    const int64_t bound = call.range.values[at];
    return std::clamp<int64_t>(bound < 0 ? bound + slots : bound, 0, slots);
}

Reason CheckOrder(const Call& call) {
    if (call.range.values == nullptr || Bound(call, 0) <= Bound(call, 1)) {
        return {};
    }
    return tiling_checks::Broken("the end of rangeOptional", Bound(call, 1),
                                 "its start, " + std::to_string(Bound(call, 0)) + ", or more");
}

// Without a range all rows, whose ranks begin at 0.
Range RangeOf(const Call& call) {
    if (call.range.values == nullptr) {
        return {0, static_cast<uint64_t>(call.rows)};
    }
    return rank_range::Between(Bound(call, 0), Bound(call, 1));
}

Reason Check(const Call& call) {
    Reason reason = tiling_checks::CheckTopK("topkNum", call.topK);
    if (reason.empty()) {
        reason = CheckOrder(call);
    }
    if (reason.empty()) {
        reason = rank_range::CheckRows("permutedTokensGradOut", call.rows, RangeOf(call));
    }
    return reason.empty() ? weighed_grad::CheckUb(call) : reason;
}

TilingData Cut(const Call& call) {
    const Range range = RangeOf(call);
    TilingData tiling = weighed_grad::Cut<TilingData>(call, range);
    tiling.firstRank = range.first;
    return tiling;
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteWithEpGradTiling(const MoeTokenUnpermuteWithEpGradCall* call,
                                                     MoeTokenUnpermuteWithEpGradTilingData* tiling,
                                                     char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteWithEpGradTilingLimit(const char* axis, int64_t topK,
                                                          int32_t dtype, uint32_t cores,
                                                          uint64_t ubBytes, int64_t hidden) {
    return weighed_grad::Limit(axis, topK, dtype, cores, ubBytes, hidden);
}
