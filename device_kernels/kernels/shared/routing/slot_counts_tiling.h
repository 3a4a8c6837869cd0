// What host and kernel share of counting the slots of every expert: how the work is cut.
//
// A core counts the slots of its share, partSlots at a time, for tileEntries experts at a time, and
// adds that to the other cores' in global memory; or it counts all slots for its share of the
// experts. First ranks of experts have one entry more, which ends the last expert.
#ifndef SLOT_COUNTS_TILING_H
#define SLOT_COUNTS_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct SlotCountsTiling {
    int64_t experts;      // that are counted; 0: none
    int64_t counts;       // to the output: 0 nothing, 1 cumulative sums, 2 numbers of slots
    int64_t tileEntries;  // experts at a time; of first ranks one is the next tile's first
    int64_t partSlots;    // slots at a time
};
static_assert(sizeof(SlotCountsTiling) == 32, "shared with the device");

#endif
