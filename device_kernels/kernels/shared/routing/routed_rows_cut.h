// Host side of rows in the order of their experts: checks, and how much fits the UB
// (routed_rows_tiling.h).
#ifndef ROUTED_ROWS_CUT_H
#define ROUTED_ROWS_CUT_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../slots/slot_copy_check.h"
#include "../slots/slot_copy_cut.h"
#include "../slots/slot_copy_limit.h"
#include "routed_rows_tiling.h"

namespace routed_rows {

using slot_copy::Broken;
using slot_copy::kBlockBytes;
using slot_copy::Reason;
using slot_copy::RoundDown;

constexpr int64_t kEntryBytes = 4;             // int32, of a count, a key or a rank
constexpr int64_t kMostRows = 1LL << 31;       // that an int32 can name
constexpr int64_t kMostCopyBytes = 1LL << 20;  // of one copy, which has 21 bits for them
constexpr int64_t kColumnBytes = 17;           // of a quantised row: the table of the struct
constexpr int64_t kColumnGranule = 8;          // columns of fp32 in 32 bytes
constexpr int64_t kMostColumns = 255 * 64;     // that one instruction takes

// CANN has no such rule: rows are named by int32. Compared without products, which may be too large
// for an integer.
inline Reason CheckPlaces(int64_t experts, int64_t capacity) {
    return capacity == 0 || experts <= kMostRows / capacity
               ? Reason{}
               : Broken(
                     "expertNum * expertCapacity",
                     std::to_string(experts) + " * " + std::to_string(capacity),
                     "at most 2^31 if dropPadMode is 1, as expandedRowIdxOut names rows by int32");
}

// Of a scale that static rows need, or of factors for dynamic ones: for all experts, or for each of
// `experts`, which a text calls so.
inline Reason CheckScale(int64_t quantMode, int64_t scaleRows, int64_t experts,
                         const std::string& called) {
    if (quantMode == 0 && scaleRows == 0) {
        return Broken("scaleOptional", "null", "a tensor if quantMode is 0");
    }
    return quantMode != 1 || scaleRows <= 1 || scaleRows == experts
               ? Reason{}
               : Broken("dim 0 of scaleOptional", scaleRows,
                        "1 or " + called + ", " + std::to_string(experts));
}

// What is written of counts: 0 nothing, 1 cumulative sums, 2 numbers. With drop/pad those before
// the capacity drops some.
inline int64_t CountsKind(int64_t capacity, int64_t countOrCumsumFlag, int64_t beforeCapacityFlag) {
    return capacity == 0 ? countOrCumsumFlag : beforeCapacityFlag != 0 ? 2 : 0;
}

// The most of each kind of piece in UB.
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

// Of rows that are quantised by such a mode, 0 static and 1 dynamic, from such an aclDataType: 10
// static, 20 dynamic + 0 fp32, 1 fp16, 2 bf16.
inline int64_t KeyOf(int64_t quantMode, int64_t dtype) {
    return 10 * (quantMode + 1) + (dtype == 0 ? 0 : dtype == 1 ? 1 : 2);
}

// Fills in how `rows` of hidden elements are cut, of which one has so many bytes in a copy;
// quantised, and as bytes of the output, if it has none. The cores are those of rows and slots.
inline void CutRows(const Ub& ub, int64_t rows, int64_t hidden, int64_t copiedBytes, int64_t cores,
                    RoutedRowsTiling* tiling) {
    SlotCopyTiling& slots = tiling->slots;
    const int64_t all = slots.tokens * slots.topK;
    slots.endRank = rows;
    slots.hidden = hidden * std::max<int64_t>(copiedBytes, 1);
    slots.tileColumns = std::min(slots.hidden, copiedBytes == 0 ? ub.Columns() : ub.CopyBytes());
    slots.slotsPerBatch = std::min(std::max<int64_t>(rows, 1), ub.BatchRows());
    slots.usedCores = std::clamp<int64_t>(std::max(all, rows), 1, cores);
    if (all > 0) {
        slot_copy::CutSort(cores, ub.all, &slots);
    }
    tiling->zeroBytes = ub.ZeroBytes();
}

// Experts and slots that are counted at a time. First ranks of experts have one entry more, so that
// a tile of counts alone has one less: both are cut behind as many experts.
inline SlotCountsTiling CutCounts(const Ub& ub, int64_t experts, int64_t counts, bool hasStarts,
                                  int64_t slots) {
    const int64_t entries = std::min(experts, ub.Experts()) + (hasStarts ? 1 : 0);
    return {experts, counts, entries, std::min(std::max<int64_t>(slots, 1), ub.PartSlots())};
}

// Reserves part of the workspace; returns where it begins.
inline int64_t TakeWorkspace(int64_t bytes, SlotCopyTiling* slots) {
    const int64_t offset = slots->workspaceBytes;
    slots->workspaceBytes += slot_copy::RoundUp(bytes, slot_copy::kWorkspaceAlignment);
    return offset;
}

// Of the sort and of the rows: "ub-bytes", "sort", "merge-1", "merge-2", "runs",
// "hidden-quantised", "experts", "part", "rows", "zeros".
inline int64_t RowsLimit(const std::string& axis, uint32_t cores, uint64_t ubBytes) {
    const Ub ub(slot_copy::MostUb(ubBytes));
    const int64_t found = axis == "hidden-quantised" ? ub.Columns()
                          : axis == "experts"        ? ub.Experts()
                          : axis == "part"           ? ub.PartSlots()
                          : axis == "rows"           ? ub.BatchRows()
                          : axis == "zeros"          ? ub.ZeroBytes()
                                                     : slot_copy::SortLimit(axis, cores, ubBytes);
    return axis == "cores" ? slot_copy::kUnknownAxis : found;
}

}  // namespace routed_rows

#endif
