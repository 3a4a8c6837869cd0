// What host and kernel share of a softmax with the k best experts of each row: how rows are cut.
//
// Rows are cut over min(rows, cores) cores; the first ones take one more if they do not come out
// even. A core has `lanesAtOnce` experts in the unified buffer (UB), 24 bytes each:
//
//     keys       fp32, 4 bytes
//     numbers    of the experts, int32, 4 bytes
//     pairs      of key and number, sorted, 8 bytes; before that the row in its own data type
//     work       of Sort and of reductions, 8 bytes
//
// Rows of at most 32 experts have 32 lanes each. A core takes as many of them at a time as fit, up
// to 255, and other rows one by one.
//
// A row of at most `lanesAtOnce` experts is one piece. Of a longer one, the pieces after the first
// leave room for the best of all pieces before: k, rounded up to 32. They lie ahead of the new
// experts and are sorted with them. So a piece takes lanesAtOnce - RoundUp(k, 32) experts.
//
// `lanesAtOnce` is a multiple of 32, as Sort takes so many at a time, and at most 8160, as it
// repeats at most 255 times. A piece needs 32 lanes beside the best.
//
//     k                             1-32    64   128   256   512   1024
//     rows of any length            1536  2304  3840  6912 13056  25344    least UB bytes
//     rows of 32 experts or fewer    768
#ifndef GATING_TILING_H
#define GATING_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct GatingTiling {
    int64_t dtype;      // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t usedCores;  // blocks to launch
    int64_t rows;
    int64_t experts;      // of a row
    int64_t k;            // chosen of them
    int64_t lanesAtOnce;  // experts in UB of a core, a multiple of 32
};
static_assert(sizeof(GatingTiling) == 48, "shared with the device");

#endif
