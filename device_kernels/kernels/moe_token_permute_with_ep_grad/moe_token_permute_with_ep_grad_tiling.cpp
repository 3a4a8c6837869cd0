// Host tiling of MoeTokenPermuteWithEpGrad: whether it can be done, then the cut.

#include "moe_token_permute_with_ep_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"
#include "../shared/slots/rank_range.h"
#include "../shared/slots/slot_gather_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenPermuteWithEpGrad";
constexpr int64_t kIndexBytes = 4;  // int32
constexpr int64_t kFp32 = 0;        // aclDataType

using Call = MoeTokenPermuteWithEpGradCall;
using rank_range::CheckRows;
using rank_range::Range;
using tiling_checks::kMostTopK;
using tiling_checks::Reason;

// Of fp32, fp16 or bf16.
int64_t BytesOf(int64_t aclDataType) { return aclDataType == kFp32 ? 4 : 2; }

row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t topK) {
    return {bytes, BytesOf(aclDataType), topK * kIndexBytes};
}

// Without ranks where it is absent.
Range RangeOf(const Call& call) {
    if (call.range.values == nullptr) {
        return {0, 0};
    }
    const int64_t start = call.range.values[0];
    const int64_t end = call.range.values[1];
    return rank_range::Between(start, end);
}

Reason Check(const Call& call) {
    Reason reason = tiling_checks::CheckTopK("numTopk", call.topK);
    if (reason.empty()) {
        reason = CheckRows("permutedTokensOutputGrad", call.rows, RangeOf(call));
    }
    if (reason.empty() && call.hasProbs != 0) {
        reason = CheckRows("permutedProbsOutputGradOptional", call.probRows, RangeOf(call));
    }
    return reason.empty() ? tiling_checks::CheckUb(
                                call.ubBytes, UbOf(call.ubBytes, call.dtype, call.topK).Least(),
                                " for numTopk " + std::to_string(call.topK) + " in this data type")
                          : reason;
}

MoeTokenPermuteWithEpGradTilingData Cut(const Call& call) {
    const int64_t used = std::min(call.tokens, call.cores);
    const int64_t slots = call.hasProbs == 0 ? 0 : call.tokens * call.topK;
    const Range range = RangeOf(call);
    return {call.dtype,
            used,
            call.topK,
            range.first,
            slot_gather::Cut(slots, used, call.ubBytes, BytesOf(call.dtype)),
            UbOf(call.ubBytes, call.dtype, call.topK)
                .Cut(call.tokens, call.hidden, static_cast<int64_t>(range.count),
                     row_sum::CeilDiv(call.tokens, used))};
}

}  // namespace

extern "C" int32_t MoeTokenPermuteWithEpGradTiling(const MoeTokenPermuteWithEpGradCall* call,
                                                   MoeTokenPermuteWithEpGradTilingData* tiling,
                                                   char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenPermuteWithEpGradTilingLimit(const char* axis, int64_t topK,
                                                        int32_t dtype, uint32_t cores,
                                                        uint64_t ubBytes, int64_t hidden) {
    const bool known = topK >= 1 && topK <= kMostTopK;
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, known ? topK : 1);
    const std::string name = axis;
    if (name == "cores") {
        return cores;
    }
    if (name == "probs-batch" || name == "probs") {
        const int64_t slots = slot_gather::MostSlots(ub.bytes, ub.elementBytes);
        return known && ub.bytes >= ub.Least() ? slots * (name == "probs" ? cores : 1) : 0;
    }
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
