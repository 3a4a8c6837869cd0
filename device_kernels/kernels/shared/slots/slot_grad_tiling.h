// How a core takes gradients back to the rows of slots and to their weights: the part of a tiling
// that operators share.
//
// Slots are cut over the cores: whole tokens where there are as many as cores, else single slots,
// so that few tokens of many slots keep all cores busy. A core takes its slots in batches, whose
// row indices and weights it has in UB together, a batch in parts of one token's slots, and the
// columns of a row in tiles. A tile of the token's gradient stays while the slots of a part are
// done, and each slot adds its products up in 64 lanes of its own.
//
// UB of one core, in bytes, for batches of n slots, parts of m slots, tiles of r columns (rounded
// up to 32 bytes of the data type), s bytes per element, w bytes of a weight, and b = 1 where rows
// had a bias and else 0:
//
//     gradient, row, result, bias     (3 + b) * 2 * r * s    double buffered
//     widened gradient, product, bias     (2 + b) * 4 * r    16-bit types only
//     lanes                                    4 * 64 * m
//     indices                                       4 * n    these and all below rounded up to 32
//     weights, their gradients                  2 * w * n
//     sums                                          4 * n    16-bit weights only; others in place
//     experts                                   b * 4 * n
//
// Of weights that lie apart from each other no list is there, but their slots' experts; each of
// their gradients has a block of its own, and so many sums as lie in one:
//
//     experts                                       4 * n
//     gradients                                    32 * n
//     sums                                         64 * n    16-bit weights only
//
// So a column costs 24 bytes in fp32 and 20 in the 16-bit types, with a bias 32 and 28, and a slot
// of a batch 12, with a bias 16. Lanes take an eighth of the UB at most, but one part is a slot at
// least. A row is in one tile where it fits beside the lanes and names of a part. Else a tile has
// as many times 64 columns as fit, or the largest power of two where not even 64 do: so each column
// has the same lane on every machine.
//
// The least UB holds one slot and a tile of 32 bytes:
//
//     weights                fp32   16-bit
//     fp32 rows               544      576
//     16-bit rows             672      704
//     fp32 rows, bias         640      672
//     16-bit rows, bias       832      864
#ifndef SLOT_GRAD_TILING_H
#define SLOT_GRAD_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct SlotGradTiling {
    int64_t slots;          // all of all tokens
    int64_t topK;           // slots per token
    int64_t hidden;         // columns of a row
    int64_t rows;           // an index from here on names no row
    int64_t slotsPerCore;   // of every core but the last
    int64_t slotsPerBatch;  // at most
    int64_t slotsPerPart;   // at most
    int64_t tileColumns;    // of every tile but the last
};
static_assert(sizeof(SlotGradTiling) == 64, "shared with the device");

#endif
