// What host and kernel of MoeTokenPermute share: how the work is cut, in plain C++
// (../shared/slot_copy_tiling.h).
#ifndef MOE_TOKEN_PERMUTE_TILING_H
#define MOE_TOKEN_PERMUTE_TILING_H

#include <cstdint>

#include "../shared/slots/slot_copy_tiling.h"

struct MoeTokenPermuteTilingData {
    int64_t key;  // 1000 + 10 * (indices are int64) + 0, 1 or 2 for elements of 32, 16 or 8 bits
    SlotCopyTiling slots;  // without probs, and from rank 0 on
};
static_assert(sizeof(MoeTokenPermuteTilingData) == 152, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenPermuteCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;        // of permuteTokensOut
    int64_t dtype;       // aclDataType of tokens: 0 fp32, 1 fp16, 2 int8, 27 bf16
    int64_t indexDtype;  // aclDataType of indices: 3 int32, 9 int64
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define MOE_TOKEN_PERMUTE_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_TOKEN_PERMUTE_EXPORT int32_t MoeTokenPermuteTiling(const MoeTokenPermuteCall* call,
                                                       MoeTokenPermuteTilingData* tiling,
                                                       char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "sort"      the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"   the most slots that one level of merges suffices for
//     "merge-2"   the most slots that two levels suffice for
//     "runs"      the most slots that give every core at most one run to sort
//     "cores"     the most tokens that give every core at most one token: `cores` itself
//     "hidden"    the largest hidden in one tile; one more gives two tiles
//     "batch"     the most tokens of `hidden` columns in one batch of a core
//     "tokens"    the most tokens of `hidden` columns that give every core one batch
//
// Returns 0 where the UB is below "ub-bytes" or topK or hidden make no sense, and -1 for an unknown
// axis.
MOE_TOKEN_PERMUTE_EXPORT int64_t MoeTokenPermuteTilingLimit(const char* axis, int64_t topK,
                                                            int32_t dtype, uint32_t cores,
                                                            uint64_t ubBytes, int64_t hidden);
}

#endif
