// Host tiling of MoeInitRoutingQuantV2: whether it can be done, then the cut.

#include "moe_init_routing_quant_v2_tiling.h"

#include "../shared/routing/routed_rows_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRoutingQuantV2";

using Call = MoeInitRoutingQuantV2Call;
using TilingData = MoeInitRoutingQuantV2TilingData;
using routed_rows::Reason;

bool Pads(const Call& call) { return call.capacity > 0; }

Reason Check(const Call& call) {
    Reason reason =
        routed_rows::CheckScale(call.quantMode, call.scaleRows, call.experts, "expertNum");
    if (reason.empty()) {
        reason = routed_rows::CheckPlaces(call.experts, call.capacity);
    }
    return reason.empty() ? slot_copy::CheckSort("expertIdx", call.tokens, call.topK, call.ubBytes)
                          : reason;
}

TilingData Cut(const Call& call) {
    const routed_rows::Ub ub(call.ubBytes);
    const int64_t rows = Pads(call) ? call.experts * call.capacity : call.rows;
    const int64_t counts =
        routed_rows::CountsKind(call.capacity, call.countOrCumsumFlag, call.beforeCapacityFlag);
    TilingData tiling{};
    tiling.key = routed_rows::KeyOf(call.quantMode, call.dtype);
    tiling.slots.tokens = call.tokens;
    tiling.slots.topK = call.topK;
    routed_rows::CutRows(ub, rows, call.hidden, 0, call.cores, &tiling);
    tiling.capacity = call.capacity;
    tiling.scaleRows = call.scaleRows;
    if (Pads(call) || counts != 0) {
        tiling.counted =
            routed_rows::CutCounts(ub, call.experts, counts, Pads(call), call.tokens * call.topK);
    }
    if (Pads(call)) {
        const int64_t bytes = (call.experts + 1) * routed_rows::kEntryBytes;
        tiling.startsOffset = routed_rows::TakeWorkspace(bytes, &tiling.slots);
    }
    return tiling;
}

}  // namespace

extern "C" int32_t MoeInitRoutingQuantV2Tiling(const MoeInitRoutingQuantV2Call* call,
                                               MoeInitRoutingQuantV2TilingData* tiling,
                                               char* reason, uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeInitRoutingQuantV2TilingLimit(const char* axis, int64_t, int32_t,
                                                    uint32_t cores, uint64_t ubBytes, int64_t) {
    return routed_rows::RowsLimit(axis, cores, ubBytes);
}
