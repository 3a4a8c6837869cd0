// Host tiling of MoeInitRoutingV2: whether it can be done, then the cut.

#include "moe_init_routing_v2_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/routing/routed_rows_cut.h"
#include "../shared/slots/slot_copy_check.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRoutingV2";
constexpr int64_t kCountBytes = 4;             // int32, of a count, an index or a rank
constexpr int64_t kMostZeroBytes = 1LL << 20;  // of one copy, which has 21 bits for them

using TilingData = MoeInitRoutingV2TilingData;
using Call = MoeInitRoutingV2Call;
using slot_copy::CopyBytes;
using slot_copy::Reason;
using slot_copy::RoundDown;
using slot_copy::RoundUp;
using stable_sort::CeilDiv;

bool Pads(const Call& call) { return call.capacity > 0; }

int64_t Slots(const Call& call) { return call.tokens * call.topK; }

// The rows of the output: the places of all experts, or the first ranks.
int64_t OutRows(const Call& call) { return Pads(call) ? call.experts * call.capacity : call.rows; }

// CANN has no such rules: positions are sorted as fp32, and rows are named by int32.
Reason Check(const Call& call) {
    Reason reason = slot_copy::CheckSlots("expertIdx", call.tokens, call.topK);
    if (reason.empty()) {
        reason = routed_rows::CheckPlaces(call.experts, call.capacity);
    }
    return reason.empty() ? slot_copy::CheckSortUb(call.ubBytes) : reason;
}

// The header's table: half of the UB for entries, half of the rest for indices.
int64_t MostEntries(int64_t ubBytes) {
    return RoundDown(ubBytes / 2, slot_copy::kBlockBytes) / kCountBytes;
}

int64_t MostPartSlots(int64_t ubBytes) {
    return RoundDown(ubBytes / 4, slot_copy::kBlockBytes) / kCountBytes;
}

int64_t MostZeroBytes(int64_t ubBytes) {
    return std::min(RoundDown(ubBytes / 2, slot_copy::kBlockBytes), kMostZeroBytes);
}

CopyBytes BytesOf(int64_t topK, int64_t dtype, int64_t ubBytes) {
    return {topK, dtype, /*hasProbs=*/false, /*isPadded=*/false, ubBytes};
}

// A core by itself: its slots by rank and their ranks.
bool TakesFullLoad(const Call& call, const SlotCopyTiling& slots) {
    return !Pads(call) && slots.sort.runs == 1 && slots.tileColumns == slots.hidden;
}

void CutSlots(const Call& call, TilingData* tiling) {
    SlotCopyTiling& slots = tiling->slots;
    const CopyBytes bytes = BytesOf(slots.topK, call.dtype, call.ubBytes);
    slot_copy::CutCopies(bytes, slots.tokens, call.cores, &slots);
    slot_copy::CutSort(call.cores, call.ubBytes, &slots);
    if (TakesFullLoad(call, slots)) {
        tiling->key += 100;
        slots.workspaceBytes = 2 * slots.pairsOffset * slots.usedCores;
    }
}

// Of experts that are counted: how, and which cores are wanted for rows of zeros.
void CutExperts(const Call& call, TilingData* tiling) {
    SlotCopyTiling& slots = tiling->slots;
    const bool pads = Pads(call);
    tiling->counted.counts =
        routed_rows::CountsKind(call.capacity, call.countOrCumsumFlag, call.beforeCapacityFlag);
    if (!pads && tiling->counted.counts == 0) {
        return;
    }
    tiling->counted.experts = call.experts;
    slots.usedCores = std::max<int64_t>(slots.usedCores, 1);
    const int64_t entries = call.experts + (pads ? 1 : 0);
    tiling->counted.tileEntries = std::min(entries, MostEntries(call.ubBytes));
    tiling->counted.partSlots =
        std::min(std::max<int64_t>(Slots(call), 1), MostPartSlots(call.ubBytes));
    if (pads) {
        const int64_t perCore = CeilDiv(slots.endRank, call.cores);
        slots.usedCores = std::max(slots.usedCores, CeilDiv(slots.endRank, perCore));
        tiling->capacity = call.capacity;
        tiling->zeroBytes = MostZeroBytes(call.ubBytes);
        tiling->startsOffset = slots.workspaceBytes;
        slots.workspaceBytes += RoundUp(entries * kCountBytes, slot_copy::kWorkspaceAlignment);
    }
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = 1000 + (Pads(call) ? 10 : 0) + (slot_copy::ElementBytes(call.dtype) == 2 ? 1 : 0);
    slots.tokens = call.tokens;
    slots.topK = call.topK;
    slots.hidden = call.hidden;
    slots.endRank = OutRows(call);
    if (Slots(call) > 0) {
        CutSlots(call, &tiling);
    }
    CutExperts(call, &tiling);
    return tiling;
}

}  // namespace

extern "C" int32_t MoeInitRoutingV2Tiling(const MoeInitRoutingV2Call* call,
                                          MoeInitRoutingV2TilingData* tiling, char* reason,
                                          uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeInitRoutingV2TilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                               uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    const int64_t ub = slot_copy::MostUb(ubBytes);
    const std::string name = axis;
    if (name == "experts") {
        return MostEntries(ub);
    }
    if (name == "experts-pad") {
        return std::max<int64_t>(MostEntries(ub) - 1, 0);
    }
    if (name == "part") {
        return MostPartSlots(ub);
    }
    if (name == "zeros") {
        return MostZeroBytes(ub) / slot_copy::ElementBytes(dtype);
    }
    const int64_t limit = slot_copy::SortLimit(name, cores, ubBytes);
    return limit != slot_copy::kUnknownAxis
               ? limit
               : slot_copy::CopyLimit(name, BytesOf(topK, dtype, ub), cores, hidden,
                                      slot_copy::kSlotsEnd - 1);
}
