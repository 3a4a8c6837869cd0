// What host and kernel of MoeTokenUnpermuteWithEp share: how the work is cut, in plain C++.
//
// Tokens are cut over min(tokens, cores) cores; the first ones take one more where they do not come
// out even. A core takes its tokens in batches, whose ranks and probs it has in the unified buffer
// (UB) together, and the columns of a row as ../shared/row_sum_tiling.h says: there the names of a
// token are its topK ranks, and their weights its topK probs.
//
// The least UB holds the ranks and the probs of a token, each rounded up to 32 bytes, and a tile of
// 32 bytes:
//
//     topK                       1-8    16    32    64   128   256    512
//     fp32, no probs             128   160   224   352   608  1120   2144    least UB bytes
//     fp32, 16-bit probs         160   192   288   480   864  1632   3168
//     fp32, fp32 probs           160   224   352   608  1120  2144   4192
//     16-bit, no probs           256   288   352   480   736  1248   2272
//     16-bit, 16-bit probs       288   320   416   608   992  1760   3296
//     16-bit, fp32 probs         288   352   480   736  1248  2272   4320
#ifndef MOE_TOKEN_UNPERMUTE_WITH_EP_TILING_H
#define MOE_TOKEN_UNPERMUTE_WITH_EP_TILING_H

#include <cstdint>

#include "../shared/rows/row_sum_tiling.h"

struct MoeTokenUnpermuteWithEpTilingData {
    int64_t dtype;       // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;  // the same of the probs; -1: there are none
    int64_t usedCores;   // blocks to launch
    int64_t topK;        // slots per token
    int64_t firstRank;   // of the range; 0 where it is empty, or absent
    RowSumTiling rows;   // its source rows are the ranks in the range, its batch counts tokens
};
static_assert(sizeof(MoeTokenUnpermuteWithEpTilingData) == 88, "shared with the device");

// The elements of an attribute.
struct MoeTokenUnpermuteWithEpList {
    const int64_t* values;
    uint64_t count;
};

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenUnpermuteWithEpCall {
    int64_t tokens;
    int64_t topK;  // numTopk; without a range that of the probs, or 1
    int64_t hidden;
    int64_t rows;                       // of permutedTokens
    MoeTokenUnpermuteWithEpList range;  // null: none; row i has the rank i then
    int64_t dtype;                      // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;                 // the same of the probs; -1: there are none
    int64_t cores;                      // vector cores, at least 1
    int64_t ubBytes;                    // UB bytes per core that a tiling may use
};

#define MOE_TOKEN_UNPERMUTE_WITH_EP_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes but for the rows that the range takes.
MOE_TOKEN_UNPERMUTE_WITH_EP_EXPORT int32_t MoeTokenUnpermuteWithEpTiling(
    const MoeTokenUnpermuteWithEpCall* call, MoeTokenUnpermuteWithEpTilingData* tiling,
    char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 512 and an aclDataType of
// above, that of the tokens:
//
//     "ub-bytes"       the least UB bytes; one less is rejected
//     "four-buffers"   the largest hidden in one tile with four input buffers; one more: with three
//     "three-buffers"  the largest hidden with three; one more: with two
//     "hidden"         the largest hidden in one tile; one more gives two tiles
//     "batch"          the most tokens of `hidden` columns in one batch of a core
//     "tokens"         the most tokens of `hidden` columns that give every core one batch
//     "cores"          the most tokens that give every core at most one token: `cores` itself
//
// These are of calls whose probs have the data type of the tokens. Led by "fp32-probs-" or
// "16-bit-probs-" they are of calls whose probs have such a type, and led by "no-probs-" of calls
// without.
//
// Only "batch" and "tokens" read `hidden`, only "tokens" and "cores" read `cores`. Returns 0 where
// the UB is below "ub-bytes" or topK is no topK, and -1 for an unknown axis.
MOE_TOKEN_UNPERMUTE_WITH_EP_EXPORT int64_t
MoeTokenUnpermuteWithEpTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                   uint64_t ubBytes, int64_t hidden);
}

#endif
