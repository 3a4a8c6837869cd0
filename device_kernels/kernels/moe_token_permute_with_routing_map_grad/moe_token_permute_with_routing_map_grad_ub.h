// What fits the unified buffer (UB) of a core, job by job: the figures of the tiling's header.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_UB_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_UB_H

#include <algorithm>
#include <cstdint>

#include "../shared/routing_map/routing_map_cut.h"
#include "../shared/rows/row_sum_cut.h"

namespace routing_map_grad {

using row_sum::kBlockBytes;
using row_sum::RoundDown;
using row_sum::RoundUp;

constexpr int64_t kMostTopK = 512;
constexpr int64_t kMostCopyBlocks = 4095;  // blockCount of one DataCopyPad
constexpr int64_t kIndexBytes = 4;         // int32
constexpr int64_t kEntryBytes = 8;         // a sorted entry: fp32 and uint32

constexpr int64_t kSortedAtOnce = 32;
constexpr int64_t kMostSorted = 255 * kSortedAtOnce;  // repeats of one Sort
constexpr int64_t kRunBytes = 24;                     // per entry of a run
constexpr int64_t kLeastSortUb = kSortedAtOnce * kRunBytes;
constexpr int64_t kMergedAtOnce = 4;
constexpr int64_t kMergeBytes = 64;    // per entry of one list
constexpr int64_t kMergeGranule = 4;   // entries in 32 bytes
constexpr int64_t kMostMerged = 4092;  // of one list of MrgSort, in whole granules

// Bytes of an element of fp32 (0), fp16 (1) or bf16 (27).
inline int64_t ElementBytes(int64_t aclDataType) { return aclDataType == 0 ? 4 : 2; }

inline row_sum::Ub RowUb(int64_t bytes, int64_t aclDataType, int64_t nameBytes) {
    return {bytes, ElementBytes(aclDataType), nameBytes};
}

inline int64_t MostRunEntries(int64_t ubBytes) {
    return std::min(RoundDown(ubBytes / kRunBytes, kSortedAtOnce), kMostSorted);
}

inline int64_t RunEntries(int64_t rows, int64_t cores, int64_t ubBytes) {
    const int64_t fair = RoundUp(row_sum::CeilDiv(rows, cores), kSortedAtOnce);
    return std::min(fair, MostRunEntries(ubBytes));
}

inline int64_t MergeEntries(int64_t ubBytes) {
    return std::min(RoundDown(ubBytes / kMergeBytes, kMergeGranule), kMostMerged);
}

// 0 where not even one row fits.
inline int64_t ScatterRows(int64_t ubBytes) {
    constexpr int64_t perRow = kBlockBytes + kIndexBytes;
    constexpr int64_t rounding = kBlockBytes - kIndexBytes;
    return std::clamp<int64_t>((ubBytes - rounding) / perRow, 0, kMostCopyBlocks);
}

// The UB of MASKED_SCATTER: map and result of each place, and a value of each token.
inline routing_map::Ub MaskUb(int64_t bytes, int64_t elementBytes) {
    return {bytes, 1 + elementBytes, elementBytes, routing_map::kCountBytes, /*tokenBuffers=*/1};
}

}  // namespace routing_map_grad

#endif
