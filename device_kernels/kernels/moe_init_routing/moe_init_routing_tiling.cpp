// Host tiling of MoeInitRouting: whether it can be done, then the cut.

#include "moe_init_routing_tiling.h"

#include <algorithm>

#include "../shared/slots/slot_copy_check.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRouting";

using Call = MoeInitRoutingCall;
using TilingData = MoeInitRoutingTilingData;
using slot_copy::CopyBytes;
using slot_copy::Reason;

// CANN has no such rules: row indices are sorted as fp32.
Reason Check(const Call& call) {
    return slot_copy::CheckSort("expertIdx", call.tokens, call.topK, call.ubBytes);
}

// A row of the output has one row index.
CopyBytes BytesOf(int64_t dtype, int64_t ubBytes) {
    return {/*topK=*/1, dtype, /*hasProbs=*/false, /*isPadded=*/false, ubBytes};
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = 1000 + (slot_copy::ElementBytes(call.dtype) == 2 ? 1 : 0);
    slots.tokens = call.tokens;
    slots.topK = call.topK;
    slots.hidden = call.hidden;
    slots.endRank = call.rows;
    if (call.tokens * call.topK > 0) {
        const int64_t copied = std::max<int64_t>(call.rows, 1);  // without a row slots are sorted
        slot_copy::CutCopies(BytesOf(call.dtype, call.ubBytes), copied, call.cores, &slots);
        slot_copy::CutSort(call.cores, call.ubBytes, &slots);
    }
    return tiling;
}

}  // namespace

extern "C" int32_t MoeInitRoutingTiling(const MoeInitRoutingCall* call,
                                        MoeInitRoutingTilingData* tiling, char* reason,
                                        uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeInitRoutingTilingLimit(const char* axis, int64_t /*topK*/, int32_t dtype,
                                             uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    const int64_t limit = slot_copy::SortLimit(axis, cores, ubBytes);
    return limit != slot_copy::kUnknownAxis
               ? limit
               : slot_copy::CopyLimit(axis, BytesOf(dtype, slot_copy::MostUb(ubBytes)), cores,
                                      hidden);
}
