// Host tiling of MoeInitRoutingQuant: whether it can be done, then the cut.

#include "moe_init_routing_quant_tiling.h"

#include "../shared/routing/routed_rows_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRoutingQuant";

using Call = MoeInitRoutingQuantCall;
using TilingData = MoeInitRoutingQuantTilingData;

TilingData Cut(const Call& call) {
    const routed_rows::Ub ub(call.ubBytes);
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = routed_rows::KeyOf(0, call.dtype);
    slots.tokens = call.tokens;
    slots.topK = call.topK;
    routed_rows::CutRows(ub, call.rows, call.hidden, 0, call.cores, &tiling);
    const int64_t share = stable_sort::CeilDiv(call.rows, slots.usedCores);
    slots.slotsPerBatch = std::min(slots.slotsPerBatch, std::max<int64_t>(share, 1));
    slots.topK = 1;  // a row index counts the tokens over and over
    tiling.scale = static_cast<float>(call.scale);
    tiling.offset = static_cast<float>(call.offset);
    return tiling;
}

}  // namespace

extern "C" int32_t MoeInitRoutingQuantTiling(const MoeInitRoutingQuantCall* call,
                                             MoeInitRoutingQuantTilingData* tiling, char* reason,
                                             uint64_t reasonBytes) {
    const auto broken = slot_copy::CheckSort("expertIdx", call->tokens, call->topK, call->ubBytes);
    const int32_t status = slot_copy::Answer(broken, kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeInitRoutingQuantTilingLimit(const char* axis, int64_t, int32_t,
                                                  uint32_t cores, uint64_t ubBytes, int64_t) {
    const routed_rows::Ub ub(slot_copy::MostUb(ubBytes));
    const std::string name = axis;
    return name == "hidden"   ? ub.Columns()
           : name == "batch"  ? ub.BatchRows()
           : name == "tokens" ? ub.BatchRows() * cores
                              : slot_copy::SortLimit(name, cores, ubBytes);
}
