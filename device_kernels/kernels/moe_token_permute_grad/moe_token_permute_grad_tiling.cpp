// Host tiling of MoeTokenPermuteGrad: whether it can be done, then the cut.

#include "moe_token_permute_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenPermuteGrad";
constexpr int64_t kIndexBytes = 4;  // int32

using Call = MoeTokenPermuteGradCall;
using tiling_checks::kMostTopK;
using tiling_checks::Reason;

struct DataType {
    int64_t key;
    int64_t bytes;
};

// Of fp32 (0), fp16 (1) or bf16 (27).
DataType DataTypeOf(int64_t aclDataType) {
    switch (aclDataType) {
        case 0:
            return {4, 4};
        case 1:
            return {2, 2};
        default:
            return {0, 2};
    }
}

row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t topK) {
    return {bytes, DataTypeOf(aclDataType).bytes, topK * kIndexBytes};
}

Reason Check(const Call& call) {
    const Reason reason = tiling_checks::CheckTopK("numTopk", call.topK);
    return reason.empty() ? tiling_checks::CheckUb(
                                call.ubBytes, UbOf(call.ubBytes, call.dtype, call.topK).Least(),
                                " for numTopk " + std::to_string(call.topK) + " in this data type")
                          : reason;
}

MoeTokenPermuteGradTilingData Cut(const Call& call) {
    const int64_t used = std::min(call.tokens, call.cores);
    const row_sum::Ub ub = UbOf(call.ubBytes, call.dtype, call.topK);
    return {DataTypeOf(call.dtype).key, used, call.topK,
            ub.Cut(call.tokens, call.hidden, call.rows, row_sum::CeilDiv(call.tokens, used))};
}

}  // namespace

extern "C" int32_t MoeTokenPermuteGradTiling(const MoeTokenPermuteGradCall* call,
                                             MoeTokenPermuteGradTilingData* tiling, char* reason,
                                             uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenPermuteGradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                  uint32_t cores, uint64_t ubBytes,
                                                  int64_t hidden) {
    const bool known = topK >= 1 && topK <= kMostTopK;
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, known ? topK : 1);
    const std::string name = axis;
    if (name == "cores") {
        return cores;
    }
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
