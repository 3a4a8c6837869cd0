// Host tiling of MoeTokenUnpermute: whether it can be done, then the cut.

#include "moe_token_unpermute_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/routing_map/probs_limit.h"
#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermute";
constexpr int64_t kIndexBytes = 4;  // int32
constexpr int64_t kFp32 = 0;        // aclDataType
constexpr int64_t kNoProbs = -1;

using Call = MoeTokenUnpermuteCall;
using tiling_checks::kMostTopK;
using tiling_checks::Reason;

// Of fp32, fp16 or bf16, or of probs that are not there.
int64_t BytesOf(int64_t aclDataType) {
    return aclDataType == kNoProbs ? 0 : aclDataType == kFp32 ? 4 : 2;
}

row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t probsBytes, int64_t topK) {
    return {bytes, BytesOf(aclDataType), topK * kIndexBytes, topK * probsBytes};
}

row_sum::Ub UbOf(const Call& call) {
    return UbOf(call.ubBytes, call.dtype, BytesOf(call.probsDtype), call.topK);
}

Reason Check(const Call& call) {
    const Reason reason = tiling_checks::CheckTopK("topK, dim 1 of probsOptional,", call.topK);
    return reason.empty() ? tiling_checks::CheckUb(
                                call.ubBytes, UbOf(call).Least(),
                                " for topK " + std::to_string(call.topK) + " in these data types")
                          : reason;
}

MoeTokenUnpermuteTilingData Cut(const Call& call) {
    const int64_t used = std::min(call.tokens, call.cores);
    return {
        call.dtype, call.probsDtype, used, call.topK,
        UbOf(call).Cut(call.tokens, call.hidden, call.rows, row_sum::CeilDiv(call.tokens, used))};
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteTiling(const MoeTokenUnpermuteCall* call,
                                           MoeTokenUnpermuteTilingData* tiling, char* reason,
                                           uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    std::string name = axis;
    const int64_t probsBytes = probs_limit::TakeProbsBytes(&name, BytesOf(dtype));
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && topK <= (probsBytes == 0 ? 1 : kMostTopK);
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, probsBytes, known ? topK : 1);
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
