// What host and kernel of MoeTokenUnpermuteGrad share: how the work is cut, in plain C++.
//
// Without probs rows are copied as ../shared/slot_copy_tiling.h says, each to the rank of its one
// slot; nothing is sorted, and the least unified buffer (UB) is 96 bytes.
//
// With probs the slots are cut over the cores: whole tokens where there are as many as cores, else
// single slots, so that few tokens of many slots keep all cores busy. A core takes its slots in
// batches, whose row indices and probs it has in UB together, a batch in parts of one token's
// slots, and the columns of a row in tiles. A tile of the token's gradient stays while the slots of
// a part are done, and each slot adds its products up in 64 lanes of its own.
//
// UB of one core, in bytes, for batches of n slots, parts of m slots, tiles of r columns (rounded
// up to 32 bytes of the data type), s bytes per element and w bytes of a prob:
//
//     gradient, row, result     3 * 2 * r * s    double buffered
//     widened gradient, product     2 * 4 * r    16-bit types only
//     lanes                       4 * 64 * m
//     indices                          4 * n     these and all below rounded up to 32
//     probs, their gradients       2 * w * n
//     sums                             4 * n     16-bit probs only; others are added up in place
//
// So a column costs 24 bytes in fp32 and 20 in the 16-bit types, and a slot of a batch 12. Lanes
// take an eighth of the UB at most, but one part is a slot at least. A row is in one tile where it
// fits beside the lanes and names of a part. Else a tile has as many times 64 columns as fit, or
// the largest power of two where not even 64 do: so each column has the same lane on every machine.
//
// The least UB holds one slot and a tile of 32 bytes:
//
//     probs          fp32   16-bit
//     fp32 tokens     544      576
//     16-bit tokens   672      704
#ifndef MOE_TOKEN_UNPERMUTE_GRAD_TILING_H
#define MOE_TOKEN_UNPERMUTE_GRAD_TILING_H

#include <cstdint>

#include "../shared/slot_copy_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeTokenUnpermuteGradTilingData {
    int64_t dtype;          // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;     // the same of the probs; -1: there are none
    int64_t usedCores;      // blocks to launch
    int64_t slots;          // all of all tokens
    int64_t topK;           // slots per token
    int64_t hidden;         // columns of a row
    int64_t permutedRows;   // an index from here on names no row
    int64_t slotsPerCore;   // of every core but the last
    int64_t slotsPerBatch;  // at most
    int64_t slotsPerPart;   // at most
    int64_t tileColumns;    // of every tile but the last
    SlotCopyTiling copies;  // without probs; then topK is 1 and the four before are 0
};
static_assert(sizeof(MoeTokenUnpermuteGradTilingData) == 232, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenUnpermuteGradCall {
    SlotCopyList permutedTokens;
    SlotCopyList unpermutedTokensGrad;
    SlotCopyList sortedIndices;
    SlotCopyList probs;  // this and probsGrad: of any content where there are no probs
    SlotCopyList permutedTokensGrad;
    SlotCopyList probsGrad;
    int64_t dtype;       // aclDataType of the tokens: 0 fp32, 1 fp16, 27 bf16
    int64_t probsDtype;  // the same of the probs; -1: there are none
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define MOE_TOKEN_UNPERMUTE_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Checks the call and cuts it. Returns 0 with `tiling` filled, or 561002 with a sentence in
// `reason` (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are
// of these and that an output has an element.
MOE_TOKEN_UNPERMUTE_GRAD_EXPORT int32_t MoeTokenUnpermuteGradTiling(
    const MoeTokenUnpermuteGradCall* call, MoeTokenUnpermuteGradTilingData* tiling, char* reason,
    uint64_t reasonBytes);

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
MOE_TOKEN_UNPERMUTE_GRAD_EXPORT int64_t
MoeTokenUnpermuteGradTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                 uint64_t ubBytes, int64_t hidden);
}

#endif
