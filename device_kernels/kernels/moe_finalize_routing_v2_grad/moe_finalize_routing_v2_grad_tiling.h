// What host and kernel of MoeFinalizeRoutingV2Grad share: how the work is cut, in plain C++.
//
// Without scales rows are copied as ../shared/slot_copy_tiling.h says, each token's gradient to the
// row of its one slot; nothing is sorted, and the least unified buffer (UB) is 96 bytes. With
// scales slots are cut as ../shared/slot_grad_tiling.h says, their weights being the scales, in the
// data type of the rows; its table has the bytes with and without a bias.
//
// Where dropPadMode is 1 all cores write zeros over gradExpandedX first, each the same share of its
// elements to one, with one buffer of zeros that takes the whole UB if need be; then, when all
// have, they go on as above. Every block of the launch takes part in that, with or without slots.
#ifndef MOE_FINALIZE_ROUTING_V2_GRAD_TILING_H
#define MOE_FINALIZE_ROUTING_V2_GRAD_TILING_H

#include <cstdint>

#include "../shared/slots/slot_copy_tiling.h"
#include "../shared/slots/slot_grad_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeFinalizeRoutingV2GradTilingData {
    int64_t dtype;           // aclDataType of all tensors but the indices: 0 fp32, 1 fp16, 27 bf16
    int64_t hasScales;       // 1 where slots have weights
    int64_t hasBias;         // 1 where slots have weights, and their rows had a bias
    int64_t usedCores;       // blocks to launch
    int64_t zeroedElements;  // of gradExpandedX, all where dropPadMode is 1; 0: none
    int64_t zerosAtOnce;     // elements in UB, at most
    SlotGradTiling slots;    // without scales topK is 1, and how slots are cut 0
    SlotCopyTiling copies;   // without scales
};
static_assert(sizeof(MoeFinalizeRoutingV2GradTilingData) == 256, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeFinalizeRoutingV2GradCall {
    int64_t tokens;
    int64_t topK;  // 1 without scales
    int64_t hidden;
    int64_t rows;     // of gradExpandedX where dropPadMode is 0
    int64_t experts;  // and their places: its rows where dropPadMode is 1
    int64_t capacity;
    int64_t dropPadMode;
    int64_t hasScales;  // 1: the tensor is there
    int64_t hasBias;    // 1: the tensor is there, and scales, without which it changes nothing
    int64_t dtype;      // aclDataType: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;      // vector cores, at least 1
    int64_t ubBytes;    // UB bytes per core that a tiling may use
};

#define MOE_FINALIZE_ROUTING_V2_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data type is one of
// these, and all numbers and shapes.
MOE_FINALIZE_ROUTING_V2_GRAD_EXPORT int32_t MoeFinalizeRoutingV2GradTiling(
    const MoeFinalizeRoutingV2GradCall* call, MoeFinalizeRoutingV2GradTilingData* tiling,
    char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK > 0 and an aclDataType of above:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "part"      the most slots of a token in one part; one more gives two
//     "hidden"    the largest hidden in one tile; one more gives two tiles
//     "batch"     the most slots of rows of `hidden` columns in one batch of a core
//     "tokens"    the most tokens of `hidden` columns that give every core at most one batch
//     "cores"     the fewest tokens that are not cut between cores: `cores` itself
//     "zeros"     the most elements of gradExpandedX over which every core writes zeros at once
//
// These are of calls with scales and without a bias. Led by "bias-" they are of calls with both,
// and led by "no-scales-" of calls without scales, for topK of 1 alone, which have no "part".
//
// Only "batch" and "tokens" read `hidden`, only "tokens", "cores" and "zeros" read `cores`. Returns
// 0 where the UB is below "ub-bytes" or topK is no topK, and -1 for an unknown axis.
MOE_FINALIZE_ROUTING_V2_GRAD_EXPORT int64_t
MoeFinalizeRoutingV2GradTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                    uint64_t ubBytes, int64_t hidden);
}

#endif
