// What host and kernel of MoeInitRoutingQuantV2 share: how the work is cut, in plain C++.
//
// The cores sort the slots together (../shared/slots/slot_copy_tiling.h). They count the slots of
// experts with drop/pad, or if the call asks for it (../shared/routing/slot_counts_tiling.h). Then
// each quantises its share of the rows (../shared/routing/routed_rows_tiling.h): those of the
// ranks, or with drop/pad those of the experts' places.
#ifndef MOE_INIT_ROUTING_QUANT_V2_TILING_H
#define MOE_INIT_ROUTING_QUANT_V2_TILING_H

#include <cstdint>

#include "../shared/routing/routed_rows_tiling.h"
#include "../shared/routing/routing_call.h"

struct MoeInitRoutingQuantV2TilingData : RoutedRowsTiling {
    int64_t key;           // 10 static, 20 dynamic + 0 fp32, 1 fp16, 2 bf16
    int64_t startsOffset;  // bytes into the workspace: drop/pad: the first ranks of the experts
};
static_assert(sizeof(MoeInitRoutingQuantV2TilingData) == 216, "shared with the device");

struct MoeInitRoutingQuantV2Call : RoutingCall {
    int64_t quantMode;  // 0 static, 1 dynamic
    int64_t scaleRows;  // 0: no scale
};

#define MOE_INIT_ROUTING_QUANT_V2_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_INIT_ROUTING_QUANT_V2_EXPORT int32_t MoeInitRoutingQuantV2Tiling(
    const MoeInitRoutingQuantV2Call* call, MoeInitRoutingQuantV2TilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for any aclDataType, topK and hidden:
//
//     "ub-bytes"          the least UB bytes; one less is rejected
//     "sort"              the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"           the most slots that one level of merges suffices for
//     "merge-2"           the most slots that two levels suffice for
//     "runs"              the most slots that give every core at most one run to sort
//     "hidden-quantised"  the largest hidden in one tile
//     "experts"           the most experts that are counted at a time
//     "part"              the most slots of a core that are counted at a time
//     "rows"              the most rows whose slots are read at a time
//     "zeros"             the most bytes of a core that one copy fills with zeros
//
// Returns 0 if the UB is too small for any, and -1 for an unknown axis.
MOE_INIT_ROUTING_QUANT_V2_EXPORT int64_t
MoeInitRoutingQuantV2TilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                 uint64_t ubBytes, int64_t hidden);
}

#endif
