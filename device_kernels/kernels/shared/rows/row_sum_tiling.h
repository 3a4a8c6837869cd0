// How a core adds rows of a table into rows of an output: the part of a tiling that operators
// share.
//
// An output row is made tile by tile: its columns in one piece where they fit the unified buffer
// (UB), with as many input buffers as fit beside them, four at most; else in tiles, with two input
// buffers. What names the source rows (row indices, or sorted entries) comes into UB in batches.
//
// UB of one core, in bytes, for a tile of r columns (rounded up to 32 bytes of the data type), b
// input buffers, s bytes per element, and a batch of n names of m bytes each:
//
//     input rows          b * r * s
//     result              r * s
//     sum, widened row    2 * 4 * r    16-bit types only; fp32 is added up in the result
//     second wide row     4 * r        16-bit types, where rows are added in pairs
//     blended row         4 * r        where rows are blended
//     names               n * m        rounded up to 32
//     weights             n * w        rounded up to 32; where names have weights of w bytes each
//     second names        n * v        rounded up to 32; where names have second ones of v bytes
//
// Names may lie in several buffers, so many bytes of each name in each, every buffer rounded up.
//
// So a column costs s * (b + 1) bytes, and 8 more in the 16-bit types, or 12 in pairs.
//
//     buffers            4     3     2
//     fp32              20    16    12    bytes per column
//     16-bit            18    16    14    bytes per column
//     16-bit, pairs     22    20    18    bytes per column
#ifndef ROW_SUM_TILING_H
#define ROW_SUM_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct RowSumTiling {
    int64_t tokens;        // rows of the output, cut over the blocks of the launch
    int64_t hidden;        // columns of a row
    int64_t sourceRows;    // rows of the table
    int64_t inputBuffers;  // 2 to 4
    int64_t tileColumns;   // of every tile but the last
    int64_t batch;         // names in UB at once: tokens whose indices, or sorted entries
};
static_assert(sizeof(RowSumTiling) == 48, "shared with the device");

#endif
