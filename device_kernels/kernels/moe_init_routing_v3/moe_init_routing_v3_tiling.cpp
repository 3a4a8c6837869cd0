// Host tiling of MoeInitRoutingV3: whether it can be done, then the cut.

#include "moe_init_routing_v3_tiling.h"

#include <string>

#include "../shared/routing/routed_rows_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRoutingV3";
constexpr int64_t kMostExpert = 10240;  // where the range may end
constexpr int64_t kMostPairExpert = 5120;
constexpr int64_t kPairs = 2;

using TilingData = MoeInitRoutingV3TilingData;
using Call = MoeInitRoutingV3Call;
using routed_rows::Broken;
using routed_rows::kEntryBytes;
using routed_rows::Reason;
using routed_rows::TakeWorkspace;

bool Pads(const Call& call) { return call.capacity > 0; }

int64_t Slots(const Call& call) { return call.tokens * call.topK; }

int64_t OutRows(const Call& call) { return Pads(call) ? call.experts * call.capacity : call.rows; }

int64_t RangeStart(const Call& call) { return call.range.count == 0 ? 0 : call.range.values[0]; }
int64_t RangeEnd(const Call& call) {
    return call.range.count == 0 ? call.experts : call.range.values[1];
}
int64_t RangeExperts(const Call& call) { return RangeEnd(call) - RangeStart(call); }

Reason CheckRange(const Call& call) {
    const char* name = "activeExpertRangeOptional";
    if (call.range.count != 0 && call.range.count != 2) {
        return Broken(std::string("the length of ") + name, static_cast<int64_t>(call.range.count),
                      "0 or 2");
    }
    const int64_t start = RangeStart(call), end = RangeEnd(call);
    const std::string text = "[" + std::to_string(start) + ", " + std::to_string(end) + "]";
    const std::string all = std::to_string(call.experts);
    if (start < 0 || end <= start || end > call.experts) {
        return Broken(name, text,
                      "a start of 0 or more and a greater end, at most expertNum, " + all);
    }
    if (Pads(call) && (start != 0 || end != call.experts)) {
        return Broken(name, text, "[0, " + all + "] if dropPadMode is 1");
    }
    const int64_t most = call.countsType == kPairs ? kMostPairExpert : kMostExpert;
    return end <= most ? Reason{}
                       : Broken(std::string("the end of ") + name, end,
                                "at most " + std::to_string(most) +
                                    (call.countsType == kPairs ? " for pairs" : ""));
}

Reason CheckScale(const Call& call) {
    return routed_rows::CheckScale(call.quantMode, call.scaleRows, RangeExperts(call),
                                   "the number of experts in the range");
}

Reason CheckPlaces(const Call& call) {
    return routed_rows::CheckPlaces(call.experts, call.capacity);
}

Reason Check(const Call& call) {
    for (const auto check : {CheckRange, CheckScale, CheckPlaces}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return slot_copy::CheckSort("expertIdx", call.tokens, call.topK, call.ubBytes);
}

TilingData Cut(const Call& call) {
    const routed_rows::Ub ub(call.ubBytes);
    const bool quantises = call.quantMode >= 0;
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = quantises ? routed_rows::KeyOf(call.quantMode, call.dtype) : 0;
    slots.tokens = call.tokens;
    slots.topK = call.topK;
    routed_rows::CutRows(ub, OutRows(call), call.hidden,
                         quantises ? 0 : slot_copy::ElementBytes(call.dtype), call.cores, &tiling);
    tiling.counted = routed_rows::CutCounts(ub, RangeExperts(call), 0, true, Slots(call));
    tiling.capacity = call.capacity;
    tiling.scaleRows = call.scaleRows;
    tiling.firstExpert = RangeStart(call);
    tiling.experts = call.experts;
    tiling.countsType = call.countsType;
    tiling.rowIdxType = call.rowIdxType;
    const int64_t list = Slots(call) * kEntryBytes;
    tiling.keysOffset = TakeWorkspace(list, &slots);
    tiling.ranksOffset = TakeWorkspace(call.rowIdxType == 0 ? 0 : list, &slots);
    tiling.startsOffset = TakeWorkspace((RangeExperts(call) + 1) * kEntryBytes, &slots);
    return tiling;
}

}  // namespace

extern "C" int32_t MoeInitRoutingV3Tiling(const MoeInitRoutingV3Call* call,
                                          MoeInitRoutingV3TilingData* tiling, char* reason,
                                          uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeInitRoutingV3TilingLimit(const char* axis, int64_t, int32_t dtype,
                                               uint32_t cores, uint64_t ubBytes, int64_t) {
    return std::string(axis) == "hidden" ? routed_rows::Ub(slot_copy::MostUb(ubBytes)).CopyBytes() /
                                               slot_copy::ElementBytes(dtype)
                                         : routed_rows::RowsLimit(axis, cores, ubBytes);
}
