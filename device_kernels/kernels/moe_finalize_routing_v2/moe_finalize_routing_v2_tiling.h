// What host and kernel of MoeFinalizeRoutingV2 share (../shared/finalize/finalize_tiling.h).
#ifndef MOE_FINALIZE_ROUTING_V2_TILING_H
#define MOE_FINALIZE_ROUTING_V2_TILING_H

#include <cstdint>

#include "../shared/finalize/finalize_tiling.h"

struct MoeFinalizeRoutingV2TilingData : FinalizeTiling {};

// Its topK is 1 without scales.
struct MoeFinalizeRoutingV2Call : FinalizeCall {};

#define MOE_FINALIZE_ROUTING_V2_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_FINALIZE_ROUTING_V2_EXPORT int32_t MoeFinalizeRoutingV2Tiling(
    const MoeFinalizeRoutingV2Call* call, MoeFinalizeRoutingV2TilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The limits of the shared cut; without scales they are of a topK of 1 alone.
MOE_FINALIZE_ROUTING_V2_EXPORT int64_t MoeFinalizeRoutingV2TilingLimit(const char* axis,
                                                                       int64_t topK, int32_t dtype,
                                                                       uint32_t cores,
                                                                       uint64_t ubBytes,
                                                                       int64_t hidden);
}

#endif
