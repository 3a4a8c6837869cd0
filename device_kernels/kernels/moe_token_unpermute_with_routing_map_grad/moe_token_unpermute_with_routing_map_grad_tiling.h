// What host and kernel of MoeTokenUnpermuteWithRoutingMapGrad share: how the work is cut, in plain
// C++.
//
// With probs slots are cut as ../shared/slots/slot_grad_tiling.h says, their weights lying apart;
// if padded, a slot is a token of its own, with topK 1. Before that all cores write zeros over the
// gradient of the probs, each the same share to one, with a buffer that takes the whole unified
// buffer (UB) if need be. Without probs slots are cut evenly over the cores, and their rows into
// tiles: one has two buffers, which take the whole UB if need be, and the least UB is 64 bytes.
#ifndef MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_TILING_H
#define MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_TILING_H

#include <cstdint>

#include "../shared/slots/slot_grad_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeTokenUnpermuteWithRoutingMapGradTilingData {
    int64_t dtype;         // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;    // the same of the probs; -1: there are none
    int64_t padded;        // 0 or 1
    int64_t usedCores;     // blocks to launch
    int64_t probs;         // of all tokens and experts
    int64_t experts;       // of the probs
    int64_t capacity;      // rows of each expert if padded and with probs, else 0
    int64_t zerosAtOnce;   // elements in UB, at most; 0 without probs
    SlotGradTiling slots;  // without probs its cores, batches and parts are 0
};
static_assert(sizeof(MoeTokenUnpermuteWithRoutingMapGradTilingData) == 128,
              "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenUnpermuteWithRoutingMapGradCall {
    int64_t tokens;
    int64_t hidden;
    int64_t slots;       // indices, as many as rows
    int64_t experts;     // 0 without probs
    int64_t padded;      // 0 or 1
    int64_t dtype;       // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;  // the same of the probs; -1: there are none
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define UNPERMUTE_WITH_ROUTING_MAP_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all shapes but that slots are shared evenly.
UNPERMUTE_WITH_ROUTING_MAP_GRAD_EXPORT int32_t MoeTokenUnpermuteWithRoutingMapGradTiling(
    const MoeTokenUnpermuteWithRoutingMapGradCall* call,
    MoeTokenUnpermuteWithRoutingMapGradTilingData* tiling, char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 512, which is 1 if padded,
// and an aclDataType of above, that of the tokens:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "part"      the most slots of a token in one part; one more gives two
//     "hidden"    the largest hidden in one tile; one more gives two tiles
//     "batch"     the most slots of rows of `hidden` columns in one batch of a core
//     "tokens"    the most tokens of `hidden` columns that give every core at most one batch
//     "cores"     the fewest tokens that are not cut between cores: `cores` itself
//     "zeros"     the most probs over whose gradients every core writes zeros at once
//
// These are of calls whose probs have the data type of the tokens. Led by "fp32-probs-" they are of
// calls whose probs are fp32, and led by "no-probs-" of calls without, which have "ub-bytes" and
// "hidden" alone. Only "batch" and "tokens" read `hidden`, only "tokens", "cores" and "zeros" read
// `cores`. Returns 0 if the UB is too small or topK is no topK, and -1 for an unknown axis.
UNPERMUTE_WITH_ROUTING_MAP_GRAD_EXPORT int64_t
MoeTokenUnpermuteWithRoutingMapGradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                               uint32_t cores, uint64_t ubBytes, int64_t hidden);
}

#endif
