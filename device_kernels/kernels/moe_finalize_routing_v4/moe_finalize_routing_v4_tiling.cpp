// Host tiling of MoeFinalizeRoutingV4: whether it can be done, then the cut.

#include "moe_finalize_routing_v4_tiling.h"

#include "../shared/finalize/finalize_ranges_cut.h"

extern "C" int32_t MoeFinalizeRoutingV4Tiling(const MoeFinalizeRoutingV4Call* call,
                                              MoeFinalizeRoutingV4TilingData* tiling, char* reason,
                                              uint64_t reasonBytes) {
    return finalize::RangedTiling(*call, tiling, "host tiling of MoeFinalizeRoutingV4", reason,
                                  reasonBytes);
}

extern "C" int64_t MoeFinalizeRoutingV4TilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                   uint32_t cores, uint64_t ubBytes,
                                                   int64_t hidden) {
    return finalize::Limit(axis, topK, topK, dtype, cores, ubBytes, hidden, true);
}
