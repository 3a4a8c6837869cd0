// What host and kernel of MoeTokenUnpermuteWithEpGrad share: how the work is cut, in plain C++.
//
// Without probs rows are copied as ../shared/slot_copy_tiling.h says, each to the rank of its one
// slot; nothing is sorted, and the least unified buffer (UB) is 96 bytes.
//
// With probs slots are cut as ../shared/slot_grad_tiling.h says, their weights being the probs and
// rows without a bias.
#ifndef MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_TILING_H
#define MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_TILING_H

#include <cstdint>

#include "../shared/slots/slot_copy_tiling.h"
#include "../shared/slots/slot_grad_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeTokenUnpermuteWithEpGradTilingData {
    int64_t dtype;          // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;     // the same of the probs; -1: there are none
    int64_t usedCores;      // blocks to launch
    int64_t firstRank;      // of the range; 0 where it is empty, or absent
    SlotGradTiling slots;   // its rows are the ranks in the range; without probs its cut is 0
    SlotCopyTiling copies;  // without probs
};
static_assert(sizeof(MoeTokenUnpermuteWithEpGradTilingData) == 240, "shared with the device");

// The elements of an attribute.
struct MoeTokenUnpermuteWithEpGradList {
    const int64_t* values;
    uint64_t count;
};

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenUnpermuteWithEpGradCall {
    int64_t tokens;
    int64_t topK;  // topkNum
    int64_t hidden;
    int64_t rows;                           // of permutedTokensGradOut
    MoeTokenUnpermuteWithEpGradList range;  // null: none; row i has the rank i then
    int64_t dtype;                          // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;                     // the same of the probs; -1: there are none
    int64_t cores;                          // vector cores, at least 1
    int64_t ubBytes;                        // UB bytes per core that a tiling may use
};

#define MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes but for the range and the rows that it takes.
//
// A bound below 0 counts from the number of slots; both are then moved into [0, slots]. A range
// that ends before its start is rejected.
MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_EXPORT int32_t MoeTokenUnpermuteWithEpGradTiling(
    const MoeTokenUnpermuteWithEpGradCall* call, MoeTokenUnpermuteWithEpGradTilingData* tiling,
    char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 512 and an aclDataType of
// above, that of the tokens:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "part"      the most slots of a token in one part; one more gives two
//     "hidden"    the largest hidden in one tile; one more gives two tiles
//     "batch"     the most slots of rows of `hidden` columns in one batch of a core
//     "tokens"    the most tokens of `hidden` columns that give every core at most one batch
//     "cores"     the fewest tokens that are not cut between cores: `cores` itself
//
// These are of calls whose probs have the data type of the tokens. Led by "fp32-probs-" or
// "16-bit-probs-" they are of calls whose probs have such a type, and led by "no-probs-" of calls
// without, for topK of 1 alone, which have no "part".
//
// Only "batch" and "tokens" read `hidden`, only "tokens" and "cores" read `cores`. Returns 0 where
// the UB is below "ub-bytes" or topK is no topK, and -1 for an unknown axis.
MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_EXPORT int64_t
MoeTokenUnpermuteWithEpGradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                       uint32_t cores, uint64_t ubBytes, int64_t hidden);
}

#endif
