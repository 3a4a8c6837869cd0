// What host and kernel of MoeReRouting share: how the work is cut, in plain C++.
//
// The rows that leave are cut over the cores. Each core walks over all counts, and fills its own
// rows. Its unified buffer (UB) has a cursor of 4 bytes for each rank or for each expert, of which
// there are fewer: `lines`. The rest is six tiles of whole 32 bytes, at most 65,280, two for each
// of three queues: bytes that move, row numbers, and counts that are added up.
//
//     lines               1      8      9   1000     65536
//     least UB bytes    224    224    256   4192    262336
#ifndef MOE_RE_ROUTING_TILING_H
#define MOE_RE_ROUTING_TILING_H

#include <cstdint>

// Integers are 64-bit, so that host and device agree on the layout without packing.
struct MoeReRoutingTilingData {
    int64_t usedCores;    // blocks to launch; without rows one core writes the sums
    int64_t rows;         // of tokens
    int64_t rowBytes;     // of a row of tokens
    int64_t ranks;        // rows of the counts
    int64_t experts;      // columns of the counts
    int64_t countWords;   // of 4 bytes, of a count: 1 of int32, 2 of int64
    int64_t rowsPerCore;  // that a core fills; the last one may have fewer
    int64_t cursorBytes;  // of the cursors, whole 32 bytes
    int64_t tileBytes;    // that are moved at once
};
static_assert(sizeof(MoeReRoutingTilingData) == 72, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeReRoutingCall {
    int64_t rows;
    int64_t hidden;
    int64_t ranks;
    int64_t experts;
    int64_t dtype;       // aclDataType of tokens: 0 fp32, 1 fp16, 2 int8, 27 bf16
    int64_t countDtype;  // aclDataType of the counts: 3 int32, 9 int64
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define MOE_RE_ROUTING_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked data types, numbers and shapes before.
MOE_RE_ROUTING_EXPORT int32_t MoeReRoutingTiling(const MoeReRoutingCall* call,
                                                 MoeReRoutingTilingData* tiling, char* reason,
                                                 uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 or more, which are lines:
//
//     "ub-bytes"   the least UB bytes; one less is rejected for any number of rows and columns
//     "cores"      the most rows that give every core at most one: `cores` itself
//     "hidden"     the most columns of a row in one tile, of that aclDataType
//     "batch"      the most rows of a core whose numbers are one tile
//     "tokens"     the most rows that give every core one tile of numbers
//
// Returns 0 if the UB is below "ub-bytes" or topK is less than 1, and -1 for an unknown axis.
MOE_RE_ROUTING_EXPORT int64_t MoeReRoutingTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                      uint32_t cores, uint64_t ubBytes,
                                                      int64_t hidden);
}

#endif
