// How a core gathers single elements to slots: the part of a tiling that operators may share.
//
// Slots are cut over the blocks of the launch; the first ones take one more where they do not come
// out even. A core takes its slots in batches. UB of one core, in bytes, for a batch of n slots
// with elements of s bytes:
//
//     indices     4 * n     rounded up to 32
//     fetched     32 * n    a copy to UB begins on a block of its own
//     gathered    s * n     rounded up to 32
//
// So one slot needs 96 bytes.
#ifndef SLOT_GATHER_TILING_H
#define SLOT_GATHER_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct SlotGatherTiling {
    int64_t slots;  // to gather to; 0: there is nothing to gather
    int64_t batch;  // slots in UB at once, at most
};
static_assert(sizeof(SlotGatherTiling) == 16, "shared with the device");

#endif
