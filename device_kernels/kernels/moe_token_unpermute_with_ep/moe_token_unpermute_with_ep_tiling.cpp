// Host tiling of MoeTokenUnpermuteWithEp: whether it can be done, then the cut.

#include "moe_token_unpermute_with_ep_tiling.h"

#include <algorithm>

#include "../shared/checks/tiling_checks.h"
#include "../shared/slots/rank_range.h"
#include "../shared/slots/weighed_sum_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteWithEp";

using Call = MoeTokenUnpermuteWithEpCall;
using rank_range::Range;
using tiling_checks::Reason;

// Where it is absent, the operator is MoeTokenUnpermute: all rows, whose ranks begin at 0.
Range RangeOf(const Call& call) {
    if (call.range.values == nullptr) {
        return {0, static_cast<uint64_t>(call.rows)};
    }
    const int64_t start = call.range.values[0];
    const int64_t end = call.range.values[1];
    return rank_range::Between(start, end);
}

Reason Check(const Call& call) {
    const char* topK = call.range.values == nullptr ? "topK, dim 1 of probsOptional," : "numTopk";
    const Reason reason = rank_range::CheckRows("permutedTokens", call.rows, RangeOf(call));
    return reason.empty() ? weighed_sum::Check(call, topK) : reason;
}

MoeTokenUnpermuteWithEpTilingData Cut(const Call& call) {
    const int64_t used = std::min(call.tokens, call.cores);
    const Range range = RangeOf(call);
    const int64_t ranks = static_cast<int64_t>(range.count);
    return {call.dtype, call.probsDtype, used,
            call.topK,  range.first,     weighed_sum::Cut(call, ranks, used)};
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteWithEpTiling(const MoeTokenUnpermuteWithEpCall* call,
                                                 MoeTokenUnpermuteWithEpTilingData* tiling,
                                                 char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteWithEpTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                      uint32_t cores, uint64_t ubBytes,
                                                      int64_t hidden) {
    return weighed_sum::Limit(axis, topK, dtype, cores, ubBytes, hidden, tiling_checks::kMostTopK);
}
