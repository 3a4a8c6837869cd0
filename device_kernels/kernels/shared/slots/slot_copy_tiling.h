// What host and kernel share of copies of tokens' rows to the ranks of their slots: how the work is
// cut.
//
// First the slots are sorted twice (stable_sort_tiling.h): by their indices, which gives the slot
// of every rank, then these by value, which gives the rank of every slot. Then tokens are cut over
// the cores, tokensPerCore to each, the last core taking the rest. A core walks its tokens in
// batches, the slots of a batch in parts of slotsPerBatch, and the columns of a row in tiles; it
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
#ifndef SLOT_COPY_TILING_H
#define SLOT_COPY_TILING_H

#include <cstdint>

#include "../sorting/stable_sort_tiling.h"

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct SlotCopyTiling {
    int64_t usedCores;       // blocks to launch; 0: there is nothing to do
    int64_t tokens;          // rows of the input
    int64_t topK;            // slots per token
    int64_t hidden;          // columns of a row
    int64_t hasProbs;        // 1 where every slot has a probability to be copied, too
    int64_t firstRank;       // ranks [firstRank, endRank) have a place in the output
    int64_t endRank;         //
    int64_t tokensPerCore;   // of every core but the last
    int64_t tokensPerBatch;  // at most; 1 where not all slots or columns fit
    int64_t slotsPerBatch;   // at most, of the slots of a batch
    int64_t tileColumns;     // of every tile but the last
    int64_t pairsOffset;  // bytes into the workspace: two lists of pairs behind the slots by rank
    int64_t pairsBytes;   // of each list, 0 where one core sorts all slots
    int64_t workspaceBytes;  // that the kernel uses
    StableSortTilingData sort;
};
static_assert(sizeof(SlotCopyTiling) == 144, "shared with the device");

// `count` numbers: the dims of a tensor, or the elements of an attribute.
struct SlotCopyList {
    const int64_t* values;
    uint64_t count;
};

#endif
