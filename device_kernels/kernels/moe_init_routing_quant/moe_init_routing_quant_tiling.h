// What host and kernel of MoeInitRoutingQuant share: how the work is cut, in plain C++.
//
// The slots, which are the elements of expertIdx, are sorted twice
// (../shared/sorting/stable_sort_tiling.h). Then each core quantises its share of the rows, whose
// row indices it reads a batch at a time: ../shared/routing/routed_rows_tiling.h with row indices
// in place of slots, without experts that are counted.
#ifndef MOE_INIT_ROUTING_QUANT_TILING_H
#define MOE_INIT_ROUTING_QUANT_TILING_H

#include <cstdint>

#include "../shared/routing/routed_rows_tiling.h"

struct MoeInitRoutingQuantTilingData : RoutedRowsTiling {
    int64_t key;  // 10 + 0 fp32, 1 fp16, 2 bf16
    float scale;
    float offset;
};
static_assert(sizeof(MoeInitRoutingQuantTilingData) == 216, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeInitRoutingQuantCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;  // of expandedXOut
    double scale;
    double offset;
    int64_t dtype;    // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_INIT_ROUTING_QUANT_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_INIT_ROUTING_QUANT_EXPORT int32_t MoeInitRoutingQuantTiling(
    const MoeInitRoutingQuantCall* call, MoeInitRoutingQuantTilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for any aclDataType, topK and hidden:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "sort"      the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"   the most slots that one level of merges suffices for
//     "merge-2"   the most slots that two levels suffice for
//     "runs"      the most slots that give every core at most one run to sort
//     "cores"     the most rows of the output that give every core at most one: `cores` itself
//     "hidden"    the largest hidden in one tile; one more gives two tiles
//     "batch"     the most rows in one batch of a core
//     "tokens"    the most rows that give every core one batch
//
// Returns 0 if the UB is too small for any, and -1 for an unknown axis.
MOE_INIT_ROUTING_QUANT_EXPORT int64_t MoeInitRoutingQuantTilingLimit(const char* axis, int64_t topK,
                                                                     int32_t dtype, uint32_t cores,
                                                                     uint64_t ubBytes,
                                                                     int64_t hidden);
}

#endif
