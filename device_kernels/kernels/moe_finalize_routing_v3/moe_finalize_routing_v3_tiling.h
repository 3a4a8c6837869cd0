// What host and kernel of MoeFinalizeRoutingV3 share (../shared/finalize/finalize_tiling.h).
#ifndef MOE_FINALIZE_ROUTING_V3_TILING_H
#define MOE_FINALIZE_ROUTING_V3_TILING_H

#include <cstdint>

#include "../shared/finalize/finalize_tiling.h"

struct MoeFinalizeRoutingV3TilingData : FinalizeRangesTiling {};

// Its topK is 1 without scales.
struct MoeFinalizeRoutingV3Call : FinalizeRangesCall {};

#define MOE_FINALIZE_ROUTING_V3_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, all numbers and shapes, and that ranges have two numbers.
MOE_FINALIZE_ROUTING_V3_EXPORT int32_t MoeFinalizeRoutingV3Tiling(
    const MoeFinalizeRoutingV3Call* call, MoeFinalizeRoutingV3TilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The limits of the shared cut; without scales they are of a topK of 1 alone.
MOE_FINALIZE_ROUTING_V3_EXPORT int64_t MoeFinalizeRoutingV3TilingLimit(const char* axis,
                                                                       int64_t topK, int32_t dtype,
                                                                       uint32_t cores,
                                                                       uint64_t ubBytes,
                                                                       int64_t hidden);
}

#endif
