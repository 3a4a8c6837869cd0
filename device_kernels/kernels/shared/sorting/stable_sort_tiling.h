// What host and kernel share of a stable argsort on the vector cores: how the keys are cut.
//
// The keys are cut into runs of runKeys, the last run shorter. A core sorts a run in its unified
// buffer (UB); where there are several, they lie as pairs of key and position in a workspace, and
// four neighbouring lists at a time become one, from level to level, until one is left. A core
// merges four lists tile by tile: it holds tileKeys pairs of each.
//
// UB of one core, in bytes, three buffers of 32 * tileKeys each:
//
//     in      the keys of a run (up to 8 bytes each, 4 and 4 with a value for each), or a tile of
//             each of four lists of pairs
//     work    keys as fp32 and positions, or pairs (8 bytes each)
//     out     pairs, or positions taken out of pairs and scores beside them
//
// So a run has at most 4 * tileKeys keys. tileKeys is a multiple of 8, as Sort32 and Extract take
// 32 pairs at a time, and at most 2040, as they repeat at most 255 times.
//
//     tileKeys   least UB bytes   largest run
//            8              768            32
//         2040           195840          8160
#ifndef STABLE_SORT_TILING_H
#define STABLE_SORT_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct StableSortTilingData {
    int64_t keys;      // to be sorted
    int64_t runKeys;   // of every run but the last, a multiple of 32
    int64_t runs;      // that are merged in the end; 1: one core sorts them all
    int64_t tileKeys;  // pairs of each list in UB during a merge
};
static_assert(sizeof(StableSortTilingData) == 32, "shared with the device");

#endif
