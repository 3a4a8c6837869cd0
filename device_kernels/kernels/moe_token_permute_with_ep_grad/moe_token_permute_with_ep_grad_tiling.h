// What host and kernel of MoeTokenPermuteWithEpGrad share: how the work is cut, in plain C++.
//
// Both outputs are cut over min(tokens, cores) cores; the first ones take one more where tokens, or
// slots, do not come out even. A core gathers the gradients of the probabilities of its slots
// first, if there are any, in batches of slots that have the unified buffer (UB) to themselves
// (../shared/slot_gather_tiling.h). Then it takes its tokens in batches, whose indices it has in UB
// together, and the columns of a row as ../shared/row_sum_tiling.h says.
//
// The least UB holds the topK indices of a token, rounded up to 32 bytes, and a tile of 32 bytes;
// probabilities never need more than 96:
//
//     topK       1-8    16    32    64   128   256    512
//     fp32       128   160   224   352   608  1120   2144    least UB bytes
//     16-bit     256   288   352   480   736  1248   2272    least UB bytes
#ifndef MOE_TOKEN_PERMUTE_WITH_EP_GRAD_TILING_H
#define MOE_TOKEN_PERMUTE_WITH_EP_GRAD_TILING_H

#include <cstdint>

#include "../shared/rows/row_sum_tiling.h"
#include "../shared/slots/slot_gather_tiling.h"

struct MoeTokenPermuteWithEpGradTilingData {
    int64_t dtype;           // aclDataType: 0 fp32, 1 fp16, 27 bf16
    int64_t usedCores;       // blocks to launch
    int64_t topK;            // slots per token
    int64_t firstRank;       // of the range; 0 where it is empty
    SlotGatherTiling probs;  // no slots where there are no probabilities
    RowSumTiling rows;       // its source rows are the ranks in the range, its batch counts tokens
};
static_assert(sizeof(MoeTokenPermuteWithEpGradTilingData) == 96, "shared with the device");

// The elements of an attribute.
struct MoeTokenPermuteWithEpGradList {
    const int64_t* values;
    uint64_t count;
};

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenPermuteWithEpGradCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;      // of permutedTokensOutputGrad
    int64_t probRows;  // of permutedProbsOutputGrad, where there are probabilities
    MoeTokenPermuteWithEpGradList range;  // null: none, which has no ranks
    int64_t hasProbs;                     // 0 or 1
    int64_t dtype;                        // aclDataType: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;                        // vector cores, at least 1
    int64_t ubBytes;                      // UB bytes per core that a tiling may use
};

#define MOE_TOKEN_PERMUTE_WITH_EP_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data type is one of
// these, and all numbers and shapes but for those that the range takes.
MOE_TOKEN_PERMUTE_WITH_EP_GRAD_EXPORT int32_t MoeTokenPermuteWithEpGradTiling(
    const MoeTokenPermuteWithEpGradCall* call, MoeTokenPermuteWithEpGradTilingData* tiling,
    char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 512 and an aclDataType of
// above:
//
//     "ub-bytes"       the least UB bytes; one less is rejected
//     "four-buffers"   the largest hidden in one tile with four input buffers; one more: with three
//     "three-buffers"  the largest hidden with three; one more: with two
//     "hidden"         the largest hidden in one tile; one more gives two tiles
//     "batch"          the most tokens of `hidden` columns in one batch of a core
//     "tokens"         the most tokens of `hidden` columns that give every core one batch
//     "cores"          the most tokens that give every core at most one token: `cores` itself
//     "probs-batch"    the most slots whose probabilities a core gathers in one batch
//     "probs"          the most slots whose probabilities give every core one batch
//
// Only "batch" and "tokens" read `hidden`, only "tokens", "cores" and "probs" read `cores`. Returns
// 0 where the UB is below "ub-bytes" or topK is no topK, and -1 for an unknown axis.
MOE_TOKEN_PERMUTE_WITH_EP_GRAD_EXPORT int64_t
MoeTokenPermuteWithEpGradTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                     uint64_t ubBytes, int64_t hidden);
}

#endif
