// Host tiling of MoeFinalizeRoutingV2: whether it can be done, then the cut.

#include "moe_finalize_routing_v2_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "moe_finalize_routing_v2_ub.h"

namespace {

using moe_finalize_routing_v2::Ub;

constexpr const char* kSource = "host tiling of MoeFinalizeRoutingV2";
constexpr int64_t kFirstTokenMajorMode = 2;
constexpr int64_t kFp32 = 0;  // aclDataType
constexpr int64_t kNoScales = -1;

using Call = MoeFinalizeRoutingV2Call;
using tiling_checks::Reason;

// Of fp32, fp16 or bf16, or of scales that are not there.
int64_t BytesOf(int64_t aclDataType) {
    return aclDataType == kNoScales ? 0 : aclDataType == kFp32 ? 4 : 2;
}

bool IsSlotMajor(const Call& call) { return call.dropPadMode < kFirstTokenMajorMode; }

Ub UbOf(const Call& call) {
    return {call.ubBytes, BytesOf(call.dtype), BytesOf(call.scalesDtype), call.biasRows > 0,
            IsSlotMajor(call)};
}

Reason Check(const Call& call) {
    return tiling_checks::CheckUb(call.ubBytes, UbOf(call).Least(), " in these data types");
}

MoeFinalizeRoutingV2TilingData Cut(const Call& call) {
    const Ub ub = UbOf(call);
    const int64_t used = std::min(call.tokens, call.cores);
    return {call.dtype,
            call.scalesDtype,
            used,
            call.topK,
            ub.SlotsPerPart(call.topK),
            IsSlotMajor(call) ? 1 : 0,
            call.hasX1,
            call.hasX2,
            call.biasRows,
            ub.Cut(call.tokens, call.hidden, call.rows, call.topK,
                   row_sum::CeilDiv(call.tokens, used))};
}

bool Take(std::string* axis, const std::string& prefix) {
    const bool isLed = axis->starts_with(prefix);
    axis->erase(0, isLed ? prefix.size() : 0);
    return isLed;
}

}  // namespace

extern "C" int32_t MoeFinalizeRoutingV2Tiling(const MoeFinalizeRoutingV2Call* call,
                                              MoeFinalizeRoutingV2TilingData* tiling, char* reason,
                                              uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeFinalizeRoutingV2TilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                   uint32_t cores, uint64_t ubBytes,
                                                   int64_t hidden) {
    std::string name = axis;
    Ub ub{static_cast<int64_t>(ubBytes), BytesOf(dtype), BytesOf(dtype), false, true};
    ub.isSlotMajor = !Take(&name, "token-major-");
    ub.hasBias = Take(&name, "bias-");
    const bool hasScales = !Take(&name, "no-scales-");
    if (!hasScales) {
        ub.scaleBytes = 0;
    } else if (Take(&name, "fp32-scales-")) {
        ub.scaleBytes = BytesOf(kFp32);
    }
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && (hasScales || topK == 1);
    const int64_t limit = moe_finalize_routing_v2::Limit(name, ub, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
