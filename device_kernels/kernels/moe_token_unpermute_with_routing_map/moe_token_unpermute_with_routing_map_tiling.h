// What host and kernel of MoeTokenUnpermuteWithRoutingMap share: how the work is cut, in plain C++.
//
// Tokens are cut over min(tokens, cores) cores, the first ones taking one more than the others, and
// columns as ../shared/rows/row_sum_tiling.h says. What names the source rows of a token are, with
// w bytes to each prob, or none:
//
//     paddedMode   names                             weights    second names
//     false        its topK indices, 4 bytes each    topK * w
//     true         sorted tokens, 4 bytes each                  their rows, 4 bytes each
//
// Before the sum, probs are listed in the order of the slots, as permuteProbs has them: elements
// are cut over the cores, and come into the unified buffer (UB) in batches of 8 bytes each. In
// padded mode the tokens are sorted first (../shared/sorting/stable_sort_tiling.h), which may keep
// more cores busy, and listed in their order, too.
#ifndef MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_TILING_H
#define MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_TILING_H

#include <cstdint>

#include "../shared/rows/row_sum_tiling.h"
#include "../shared/sorting/stable_sort_tiling.h"

struct MoeTokenUnpermuteWithRoutingMapTilingData {
    int64_t dtype;              // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;         // the same of the probs; -1: there are none
    int64_t padded;             // 0 or 1
    int64_t usedCores;          // blocks to launch
    int64_t slots;              // indices; with none of them outputs are zeros
    int64_t topK;               // slots per token if not padded, else 0
    int64_t experts;            // of the probs
    int64_t capacity;           // rows of each expert if padded, else 0
    int64_t listBatch;          // elements of a list in UB at once
    RowSumTiling rows;          // its batch counts tokens, or sorted entries
    StableSortTilingData sort;  // if padded
    int64_t pairsBytes;         // of one of two lists of pairs in the workspace
    int64_t workspaceBytes;
};
static_assert(sizeof(MoeTokenUnpermuteWithRoutingMapTilingData) == 168, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenUnpermuteWithRoutingMapCall {
    int64_t tokens;
    int64_t hidden;
    int64_t slots;       // rows of permutedTokens
    int64_t experts;     // 0 without probs
    int64_t padded;      // 0 or 1
    int64_t restored;    // columns by restoreShape, which is read without probs alone
    int64_t dtype;       // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;  // the same of the probs; -1: there are none
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define UNPERMUTE_WITH_ROUTING_MAP_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all shapes but that slots are shared evenly.
UNPERMUTE_WITH_ROUTING_MAP_EXPORT int32_t MoeTokenUnpermuteWithRoutingMapTiling(
    const MoeTokenUnpermuteWithRoutingMapCall* call,
    MoeTokenUnpermuteWithRoutingMapTilingData* tiling, char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above, that of the
// tokens. If not padded, for topK of 1 to 512:
//
//     "ub-bytes"       the least UB bytes; one less is rejected
//     "four-buffers"   the largest hidden in one tile with four input buffers; one more: with three
//     "three-buffers"  the largest hidden with three; one more: with two
//     "hidden"         the largest hidden in one tile; one more gives two tiles
//     "batch"          the most tokens of `hidden` columns in one batch of a core
//     "tokens"         the most tokens of `hidden` columns that give every core one batch
//     "cores"          the most tokens that give every core at most one token: `cores` itself
//
// These are of calls whose probs have the data type of the tokens. Led by "fp32-probs-" they are of
// calls whose probs are fp32, and led by "no-probs-" of calls without. If padded, whatever topK is:
//
//     "pad-ub-bytes", "pad-four-buffers", "pad-three-buffers", "pad-hidden"   as above
//     "pad-batch"      the most sorted entries in UB beside a tile of `hidden` columns
//     "pad-sort"       the most slots that one core sorts alone
//     "pad-merge-1", "pad-merge-2"   the most with one level of merges, or two
//     "pad-runs"       the most that give every core at most one run
//     "pad-list"       the most elements of a list in UB at once
//
// Only those that say so read `hidden`; only "tokens", "cores" and "pad-runs" read `cores`. Returns
// 0 if the UB is too small or topK is no topK, and -1 for an unknown axis.
UNPERMUTE_WITH_ROUTING_MAP_EXPORT int64_t
MoeTokenUnpermuteWithRoutingMapTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                           uint32_t cores, uint64_t ubBytes, int64_t hidden);
}

#endif
