// What host and kernel of MoeFinalizeRoutingV4 share (../shared/finalize/finalize_tiling.h).
#ifndef MOE_FINALIZE_ROUTING_V4_TILING_H
#define MOE_FINALIZE_ROUTING_V4_TILING_H

#include <cstdint>

#include "../shared/finalize/finalize_tiling.h"

struct MoeFinalizeRoutingV4TilingData : FinalizeRangesTiling {};

// Its topK is any one without scales.
struct MoeFinalizeRoutingV4Call : FinalizeRangesCall {};

#define MOE_FINALIZE_ROUTING_V4_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, all numbers and shapes, and that ranges have two numbers.
MOE_FINALIZE_ROUTING_V4_EXPORT int32_t MoeFinalizeRoutingV4Tiling(
    const MoeFinalizeRoutingV4Call* call, MoeFinalizeRoutingV4TilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The limits of the shared cut; also without scales they are of any topK.
MOE_FINALIZE_ROUTING_V4_EXPORT int64_t MoeFinalizeRoutingV4TilingLimit(const char* axis,
                                                                       int64_t topK, int32_t dtype,
                                                                       uint32_t cores,
                                                                       uint64_t ubBytes,
                                                                       int64_t hidden);
}

#endif
