// What host and kernel of MoeFinalizeRouting share (../shared/finalize/finalize_tiling.h).
#ifndef MOE_FINALIZE_ROUTING_TILING_H
#define MOE_FINALIZE_ROUTING_TILING_H

#include <cstdint>

#include "../shared/finalize/finalize_tiling.h"

struct MoeFinalizeRoutingTilingData : FinalizeTiling {};

// It has x1, a bias and scales; its dropPadMode is 0.
struct MoeFinalizeRoutingCall : FinalizeCall {};

#define MOE_FINALIZE_ROUTING_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all shapes.
MOE_FINALIZE_ROUTING_EXPORT int32_t MoeFinalizeRoutingTiling(const MoeFinalizeRoutingCall* call,
                                                             MoeFinalizeRoutingTilingData* tiling,
                                                             char* reason, uint64_t reasonBytes);

// The limits of the shared cut; of those that are no "bias-", no call has the sizes.
MOE_FINALIZE_ROUTING_EXPORT int64_t MoeFinalizeRoutingTilingLimit(const char* axis, int64_t topK,
                                                                  int32_t dtype, uint32_t cores,
                                                                  uint64_t ubBytes, int64_t hidden);
}

#endif
