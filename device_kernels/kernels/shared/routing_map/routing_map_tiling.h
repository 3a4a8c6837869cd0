// What host and kernel share of walks over a routing map: how it is cut.
//
// Tokens are cut over the blocks of the launch, the first ones taking one more than the others. A
// tile has all experts and as many tokens as fit the unified buffer (UB); or, where the experts of
// one token do not fit, one token and a multiple of 32 experts. routing_map_cut.h has the bytes.
#ifndef ROUTING_MAP_TILING_H
#define ROUTING_MAP_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct RoutingMapTiling {
    int64_t tokens;
    int64_t experts;
    int64_t tileTokens;
    int64_t tileExperts;
    int64_t usedCores;
};
static_assert(sizeof(RoutingMapTiling) == 40, "shared with the device");

#endif
