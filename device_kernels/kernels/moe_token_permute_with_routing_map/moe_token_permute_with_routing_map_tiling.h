// What host and kernel of MoeTokenPermuteWithRoutingMap share: how the work is cut, in plain C++.
//
// First tokens are cut over min(tokens, cores) cores, each of which walks its part of the routing
// map in tiles (../shared/routing_map_tiling.h). UB for a tile of t tokens and e experts (rounded
// up to 32), with s bytes per probability (0: there are none):
//
//     map and probs      t * e * (1 + s)
//     probs of a run     t * s             rounded up to 32
//     counts             3 * 4 * e
//     ranks              4 * t * topK      rounded up to 32; of a tile of some experts 4 * e
//     places found       32                of a tile of some experts
//     tokens of a run    4 * t             rounded up to 32; with dropAndPad instead of these two
//
// Then rows are copied (../shared/slot_copy_tiling.h): tokens are cut over the cores, or with
// dropAndPad rows of the output, each as a token with one slot.
//
// The least UB is 768 bytes, of a tile of 32 experts with probs of fp32.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H

#include <cstdint>

#include "../shared/routing_map/routing_map_tiling.h"
#include "../shared/slots/slot_copy_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeTokenPermuteWithRoutingMapTilingData {
    int64_t key;          // 1000 + 100 * dropAndPad + 0 or 1 for elements of 32 or 16 bits
    int64_t hasProbs;     // 1 where probs are moved, too
    int64_t capacity;     // rows of each expert with dropAndPad, else 0
    int64_t foundOffset;  // bytes into the workspace: places found of each token, behind the counts
    SlotCopyTiling slots;  // without probs; nothing is sorted
    RoutingMapTiling map;
};
static_assert(sizeof(MoeTokenPermuteWithRoutingMapTilingData) == 216, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenPermuteWithRoutingMapCall {
    SlotCopyList tokens;
    SlotCopyList routingMap;
    SlotCopyList probs;  // without values: none
    SlotCopyList permuteTokensOut;
    SlotCopyList permuteProbsOut;  // read where there are probs
    SlotCopyList sortedIndicesOut;
    int64_t numOutTokens;
    int64_t dropAndPad;  // 0 or 1
    int64_t dtype;       // aclDataType of tokens and probs: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define ROUTING_MAP_EXPORT __attribute__((visibility("default")))

extern "C" {

// Checks the call in CANN's order and cuts it. Returns 0 with `tiling` filled, 161002 or 561002
// with a sentence in `reason` (NUL-terminated, cut to reasonBytes). An accepted call whose map or
// output has no element has slots.usedCores 0: there is nothing to do. Phase 1 has checked before
// that the data types are among these and that no size is negative.
ROUTING_MAP_EXPORT int32_t MoeTokenPermuteWithRoutingMapTiling(
    const MoeTokenPermuteWithRoutingMapCall* call, MoeTokenPermuteWithRoutingMapTilingData* tiling,
    char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above:
//
//     "ub-bytes"   the least UB bytes; one less is rejected
//     "cores"      the most tokens that give every core at most one: `cores` itself
//     "experts"    the most experts in one tile; one more gives two tiles of one token each
//     "map-batch"  the most tokens in one tile of `hidden` experts
//     "hidden"     the largest hidden in one tile; one more gives two tiles
//     "batch"      the most tokens of `hidden` columns in one batch of a core
//     "tokens"     the most tokens of `hidden` columns that give every core one batch
//
// All but the first two are those of dropAndPad true where "-padded" follows, with rows of the
// output for tokens in the last two; "experts" and "map-batch" are those without probs, and with
// them where "-probs" follows after that. topK, 1 to 512, matters where dropAndPad is false alone.
// Returns 0 where the UB is below "ub-bytes" or topK or hidden make no sense, and -1 for an unknown
// axis.
ROUTING_MAP_EXPORT int64_t MoeTokenPermuteWithRoutingMapTilingLimit(const char* axis, int64_t topK,
                                                                    int32_t dtype, uint32_t cores,
                                                                    uint64_t ubBytes,
                                                                    int64_t hidden);
}

#endif
