// Host tiling of MoeInitRoutingV3: whether it can be done, then the cut.

#include "moe_init_routing_v3_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/slots/slot_copy_check.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRoutingV3";
constexpr int64_t kEntryBytes = 4;             // int32, of a count, a key or a rank
constexpr int64_t kPairBytes = 16;             // int64, of an expert and its count
constexpr int64_t kMostRows = 1LL << 31;       // that an int32 can name
constexpr int64_t kMostCopyBytes = 1LL << 20;  // of one copy, which has 21 bits for them
constexpr int64_t kColumnBytes = 17;           // of a quantised row: the header's table
constexpr int64_t kColumnGranule = 8;          // columns of fp32 in 32 bytes
constexpr int64_t kMostColumns = 255 * 64;     // that one instruction takes
constexpr int64_t kMostExpert = 10240;         // where the range may end
constexpr int64_t kMostPairExpert = 5120;
constexpr int64_t kDynamic = 1;
constexpr int64_t kPairs = 2;

using TilingData = MoeInitRoutingV3TilingData;
using Call = MoeInitRoutingV3Call;
using slot_copy::Broken;
using slot_copy::kBlockBytes;
using slot_copy::Reason;
using slot_copy::RoundDown;
using slot_copy::RoundUp;

bool Pads(const Call& call) { return call.capacity > 0; }
bool Quantises(const Call& call) { return call.quantMode >= 0; }

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
    if (call.quantMode == 0 && call.scaleRows == 0) {
        return Broken("scaleOptional", "null", "a tensor if quantMode is 0");
    }
    const int64_t experts = RangeExperts(call);
    const bool isRight = call.scaleRows <= 1 || call.scaleRows == experts;
    return call.quantMode != kDynamic || isRight
               ? Reason{}
               : Broken("dim 0 of scaleOptional", call.scaleRows,
                        "1 or the number of experts in the range, " + std::to_string(experts));
}

// CANN has no such rule: rows are named by int32. Compared without products, which may be too large
// for an integer.
Reason CheckRows(const Call& call) {
    return !Pads(call) || call.experts <= kMostRows / call.capacity
               ? Reason{}
               : Broken(
                     "expertNum * expertCapacity",
                     std::to_string(call.experts) + " * " + std::to_string(call.capacity),
                     "at most 2^31 if dropPadMode is 1, as expandedRowIdxOut names rows by int32");
}

Reason Check(const Call& call) {
    for (const auto check : {CheckRange, CheckScale, CheckRows}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    const Reason reason = slot_copy::CheckSlots("expertIdx", call.tokens, call.topK);
    return reason.empty() ? slot_copy::CheckSortUb(call.ubBytes) : reason;
}

// The most of each kind of piece in UB: the header's table.
struct Ub {
    explicit Ub(int64_t bytes) : all(bytes), unit(RoundDown(bytes / 8, kBlockBytes)) {}

    int64_t Entries() const { return RoundDown(unit / kEntryBytes, kColumnGranule); }
    int64_t Experts() const { return std::max<int64_t>(Entries() - 1, 0); }
    int64_t PartSlots() const { return 2 * unit / kEntryBytes; }
    int64_t BatchRows() const { return unit / kEntryBytes; }
    int64_t ZeroBytes() const { return std::min(unit, kMostCopyBytes); }
    int64_t CopyBytes() const { return std::min(2 * unit, kMostCopyBytes); }
    int64_t Columns() const {
        const int64_t left = all - 3 * unit - 3 * kBlockBytes;
        const int64_t columns = RoundDown(left / kColumnBytes, kColumnGranule);
        return std::clamp<int64_t>(columns, 0, kMostColumns);
    }

    int64_t all;
    int64_t unit;
};

int64_t KeyOf(const Call& call) {
    if (!Quantises(call)) {
        return 0;
    }
    const int64_t dtype = call.dtype == 0 ? 0 : call.dtype == 1 ? 1 : 2;
    return (call.quantMode == kDynamic ? 20 : 10) + dtype;
}

int64_t TakeWorkspace(int64_t bytes, int64_t* taken) {
    const int64_t offset = *taken;
    *taken += RoundUp(bytes, slot_copy::kWorkspaceAlignment);
    return offset;
}

void CutRows(const Call& call, const Ub& ub, SlotCopyTiling* slots) {
    const int64_t element = Quantises(call) ? 1 : slot_copy::ElementBytes(call.dtype);
    slots->endRank = OutRows(call);
    slots->hidden = call.hidden * element;
    slots->tileColumns = std::min(slots->hidden, Quantises(call) ? ub.Columns() : ub.CopyBytes());
    slots->slotsPerBatch = std::min(std::max<int64_t>(slots->endRank, 1), ub.BatchRows());
}

TilingData Cut(const Call& call) {
    const Ub ub(call.ubBytes);
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = KeyOf(call);
    slots.tokens = call.tokens;
    slots.topK = call.topK;
    CutRows(call, ub, &slots);
    slots.usedCores = std::clamp<int64_t>(std::max(Slots(call), slots.endRank), 1, call.cores);
    if (Slots(call) > 0) {
        slot_copy::CutSort(call.cores, call.ubBytes, &slots);
    }
    const int64_t entries = RangeExperts(call) + 1;
    tiling.counted = {RangeExperts(call), 0, std::min(entries, ub.Entries()),
                      std::min(std::max<int64_t>(Slots(call), 1), ub.PartSlots())};
    tiling.firstExpert = RangeStart(call);
    tiling.experts = call.experts;
    tiling.capacity = call.capacity;
    tiling.countsType = call.countsType;
    tiling.rowIdxType = call.rowIdxType;
    tiling.scaleRows = call.scaleRows;
    tiling.zeroBytes = ub.ZeroBytes();
    const int64_t list = Slots(call) * kEntryBytes;
    tiling.keysOffset = TakeWorkspace(list, &slots.workspaceBytes);
    tiling.ranksOffset = TakeWorkspace(call.rowIdxType == 0 ? 0 : list, &slots.workspaceBytes);
    tiling.startsOffset = TakeWorkspace(entries * kEntryBytes, &slots.workspaceBytes);
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
    const Ub ub(slot_copy::MostUb(ubBytes));
    const std::string name = axis;
    const int64_t found = name == "hidden" ? ub.CopyBytes() / slot_copy::ElementBytes(dtype)
                          : name == "hidden-quantised" ? ub.Columns()
                          : name == "experts"          ? ub.Experts()
                          : name == "part"             ? ub.PartSlots()
                          : name == "rows"             ? ub.BatchRows()
                          : name == "zeros"            ? ub.ZeroBytes()
                                                       : slot_copy::SortLimit(name, cores, ubBytes);
    return name == "cores" ? slot_copy::kUnknownAxis : found;
}
