// Host tiling of MoeFinalizeRouting: whether it can be done, then the cut.

#include "moe_finalize_routing_tiling.h"

#include "../shared/finalize/finalize_cut.h"

extern "C" int32_t MoeFinalizeRoutingTiling(const MoeFinalizeRoutingCall* call,
                                            MoeFinalizeRoutingTilingData* tiling, char* reason,
                                            uint64_t reasonBytes) {
    return finalize::PlainTiling(*call, tiling, "host tiling of MoeFinalizeRouting", reason,
                                 reasonBytes);
}

extern "C" int64_t MoeFinalizeRoutingTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                 uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    return finalize::Limit(axis, topK, 1, dtype, cores, ubBytes, hidden);
}
