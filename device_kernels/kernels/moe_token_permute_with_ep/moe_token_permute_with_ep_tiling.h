// What host and kernel of MoeTokenPermuteWithEp share: how the work is cut, in plain C++.
//
// First the slots are sorted twice (../shared/stable_sort_tiling.h): by their indices, which gives
// the slot of every rank, then these by value, which gives the rank of every slot. Then tokens are
// cut over the cores, tokensPerCore to each, the last core taking the rest. A core walks its tokens
// in batches, the slots of a batch in parts of slotsPerBatch, and the columns of a row in tiles; it
// copies each tile to the places of its token's slots.
//
// UB of one core, in bytes, while rows are copied: batches of n tokens, parts of m slots and tiles
// of r bytes (rounded up to 32), q = 1 where there are probs and else 0:
//
//     rows      2 * r * n       double buffered
//     ranks     4 * m           rounded up to 32
//     probs     2 * 32 * m * q  double buffered, 32 bytes for one element
//
// Where a whole row and the topK slots of its token fit, a batch holds as many tokens as fit with
// all their slots. Where they do not, a batch is one token, at most half of the UB goes to parts of
// its slots, and its row is cut into tiles if it does not fit the rest.
//
// The least UB is that of the sort, 768 bytes; the rest never needs more than 608.
//
// With paddedMode nothing is sorted: indices name the token of every row of the output. The rows of
// the output are cut over the cores as tokens are above; a batch is n of them, and beside them a
// core holds their indices (8 * n, rounded up to 32), and these as int32 in the place of the ranks.
#ifndef MOE_TOKEN_PERMUTE_WITH_EP_TILING_H
#define MOE_TOKEN_PERMUTE_WITH_EP_TILING_H

#include <cstdint>

#include "../shared/stable_sort_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeTokenPermuteWithEpTilingData {
    int64_t key;        // 1000 + 100 * padded + 10 * (indices are int64) + (elements have 16 bits)
    int64_t usedCores;  // blocks to launch; 0: there is nothing to do
    int64_t tokens;     // rows of the input
    int64_t topK;       // slots per token
    int64_t hidden;     // columns of a row
    int64_t hasProbs;   // 1 where every slot has a probability to be copied, too
    int64_t firstRank;  // ranks [firstRank, endRank) have a place in the output
    int64_t endRank;    //
    int64_t tokensPerCore;   // of every core but the last; padded: rows of the output
    int64_t tokensPerBatch;  // at most; 1 where not all slots or columns fit
    int64_t slotsPerBatch;   // at most, of the slots of a batch
    int64_t tileColumns;     // of every tile but the last
    int64_t pairsOffset;  // bytes into the workspace: two lists of pairs behind the slots by rank
    int64_t pairsBytes;   // of each list, 0 where one core sorts all slots
    int64_t workspaceBytes;  // that the kernel uses
    int64_t experts;         // padded, with probs: their columns; else 0
    StableSortTilingData sort;
};
static_assert(sizeof(MoeTokenPermuteWithEpTilingData) == 160, "shared with the device");

// `count` numbers: the dims of a tensor, or the elements of an attribute.
struct MoeTokenPermuteWithEpList {
    const int64_t* values;
    uint64_t count;
};

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenPermuteWithEpCall {
    MoeTokenPermuteWithEpList tokens;
    MoeTokenPermuteWithEpList indices;
    MoeTokenPermuteWithEpList probs;  // where hasProbs
    MoeTokenPermuteWithEpList range;  // where hasRange
    MoeTokenPermuteWithEpList permuteTokensOut;
    MoeTokenPermuteWithEpList sortedIndicesOut;
    MoeTokenPermuteWithEpList permuteProbsOut;  // where hasProbs
    int64_t hasProbs;
    int64_t hasRange;
    int64_t numOutTokens;
    int64_t paddedMode;
    int64_t asDocument;  // 1: numOutTokens and paddedMode as the document has them; 0: as CANN
    int64_t dtype;       // aclDataType of tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t indexDtype;  // aclDataType of indices: 3 int32, 9 int64
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define MOE_TOKEN_PERMUTE_WITH_EP_EXPORT __attribute__((visibility("default")))

extern "C" {

// Checks the call in CANN's order and cuts it. Returns 0 with `tiling` filled, or 561002 with a
// sentence in `reason` (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the
// data types are among these and that no size is negative.
MOE_TOKEN_PERMUTE_WITH_EP_EXPORT int32_t MoeTokenPermuteWithEpTiling(
    const MoeTokenPermuteWithEpCall* call, MoeTokenPermuteWithEpTilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above:
//
//     "ub-bytes"      the least UB bytes; one less is rejected
//     "sort"          the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"       the most slots that one level of merges suffices for
//     "merge-2"       the most slots that two levels suffice for
//     "runs"          the most slots that give every core at most one run to sort
//     "cores"         the most tokens that give every core at most one token: `cores` itself
//     "hidden"        the largest hidden in one tile; one more gives two tiles
//     "batch"         the most tokens of `hidden` columns in one batch of a core
//     "tokens"        the most tokens of `hidden` columns that give every core one batch
//     "hidden-probs", "batch-probs", "tokens-probs"    the same where there are probs
//     "hidden-padded", ..., "tokens-padded-probs"      the same with paddedMode, of output rows
//
// Returns 0 where the UB is below "ub-bytes" or topK or hidden make no sense, and -1 for an unknown
// axis.
MOE_TOKEN_PERMUTE_WITH_EP_EXPORT int64_t
MoeTokenPermuteWithEpTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                 uint64_t ubBytes, int64_t hidden);
}

#endif
