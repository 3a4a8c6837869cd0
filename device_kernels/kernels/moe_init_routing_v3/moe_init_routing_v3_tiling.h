// What host and kernel of MoeInitRoutingV3 share: how the work is cut, in plain C++.
//
// Steps between barriers: each block makes keys of its slots, the place of the expert in the
// range, or behind it for an expert outside; all sort the keys
// (../shared/slots/slot_copy_tiling.h); each counts the keys of its slots, from which first ranks
// of the experts follow (../shared/routing/slot_counts_tiling.h). Then the first block writes
// counts, and each its share of the row indices and of the rows
// (../shared/routing/routed_rows_tiling.h).
//
// Counts that are written take, beside entries, pairs of int64 in UB: 16 * (e - 1) bytes.
#ifndef MOE_INIT_ROUTING_V3_TILING_H
#define MOE_INIT_ROUTING_V3_TILING_H

#include <cstdint>

#include "../shared/routing/routed_rows_tiling.h"

// The experts that are counted are those of the range, without an output of their own.
struct MoeInitRoutingV3TilingData : RoutedRowsTiling {
    int64_t key;           // 0 copies; 10 static, 20 dynamic + 0 fp32, 1 fp16, 2 bf16
    int64_t firstExpert;   // of the range
    int64_t experts;       // all: pairs of the output
    int64_t countsType;    // 0 cumulative sums, 1 numbers, 2 pairs; -1 none
    int64_t rowIdxType;    // 0 row of each slot, 1 slot of each row
    int64_t keysOffset;    // bytes into the workspace: a key for each slot
    int64_t ranksOffset;   // the rank of each slot, where row indices are slots
    int64_t startsOffset;  // the first ranks of the experts
};
static_assert(sizeof(MoeInitRoutingV3TilingData) == 264, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeInitRoutingV3Call {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;  // of expandedXOut without drop/pad
    int64_t experts;
    int64_t capacity;    // drop/pad: rows of every expert; else 0
    int64_t countsType;  // -1: none
    int64_t quantMode;
    SlotCopyList range;  // two numbers; none: all experts
    int64_t rowIdxType;
    int64_t scaleRows;  // 0: no scale
    int64_t dtype;      // aclDataType of x: 0 fp32, 1 fp16, 2 int8, 27 bf16
    int64_t cores;      // vector cores, at least 1
    int64_t ubBytes;    // UB bytes per core that a tiling may use
};

#define MOE_INIT_ROUTING_V3_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all shapes, and numbers but those of the range.
MOE_INIT_ROUTING_V3_EXPORT int32_t MoeInitRoutingV3Tiling(const MoeInitRoutingV3Call* call,
                                                          MoeInitRoutingV3TilingData* tiling,
                                                          char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above:
//
//     "ub-bytes"          the least UB bytes; one less is rejected
//     "sort"              the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"           the most slots that one level of merges suffices for
//     "merge-2"           the most slots that two levels suffice for
//     "runs"              the most slots that give every core at most one run to sort
//     "hidden"            the largest hidden in one tile of copies
//     "hidden-quantised"  the same, if rows are quantised
//     "experts"           the most experts that are counted at a time
//     "part"              the most slots of a core that are counted at a time
//     "rows"              the most rows whose slots are read at a time
//     "zeros"             the most bytes of a core that one copy fills with zeros
//
// Returns 0 where the UB is below "ub-bytes" or topK or hidden make no sense, and -1 for an unknown
// axis.
MOE_INIT_ROUTING_V3_EXPORT int64_t MoeInitRoutingV3TilingLimit(const char* axis, int64_t topK,
                                                               int32_t dtype, uint32_t cores,
                                                               uint64_t ubBytes, int64_t hidden);
}

#endif
