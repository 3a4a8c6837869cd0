// Host tiling of MoeFinalizeRoutingV3: whether it can be done, then the cut.

#include "moe_finalize_routing_v3_tiling.h"

#include "../shared/finalize/finalize_ranges_cut.h"

extern "C" int32_t MoeFinalizeRoutingV3Tiling(const MoeFinalizeRoutingV3Call* call,
                                              MoeFinalizeRoutingV3TilingData* tiling, char* reason,
                                              uint64_t reasonBytes) {
    return finalize::RangedTiling(*call, tiling, "host tiling of MoeFinalizeRoutingV3", reason,
                                  reasonBytes);
}

extern "C" int64_t MoeFinalizeRoutingV3TilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                   uint32_t cores, uint64_t ubBytes,
                                                   int64_t hidden) {
    return finalize::Limit(axis, topK, 1, dtype, cores, ubBytes, hidden, true);
}
