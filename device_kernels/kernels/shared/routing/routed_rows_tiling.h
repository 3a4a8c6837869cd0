// What host and kernel share of rows that are those of slots in the order of their experts: how the
// work is cut.
//
// A block has a share of the rows. It reads the slots of its rows slotsPerBatch at a time. A row is
// copied, or quantised, tileColumns at a time; with dynamic quantisation it is read twice, for its
// maximum and for its quotients. A row that no slot takes is filled zeroBytes at a time.
//
// UB of one core, in bytes, for e entries, parts of m slots, r rows at a time, z bytes of zeros and
// tiles of c columns, which are bytes in copies; u of it is an eighth, rounded down to 32:
//
//     count     entries 4 * e, indices 4 * m
//     place     entries 4 * e, indices 4 * m, ranks 4 * m
//     rows      entries 4 * e, slots 4 * r, zeros z, a scale 32, and
//       copies    tiles 2 * c, double buffered
//       quantised x 4 * c, factors 4 * c, y 4 * c, work 4 * c, out c, a maximum 32
//
// Entries take at most u; indices and ranks 2 * u each; slots u; zeros u; tiles 4 * u of copies,
// and what is left to the quantised ones.
#ifndef ROUTED_ROWS_TILING_H
#define ROUTED_ROWS_TILING_H

#include <cstdint>

#include "../slots/slot_copy_tiling.h"
#include "slot_counts_tiling.h"

struct RoutedRowsTiling {
    SlotCopyTiling slots;  // endRank: rows; slotsPerBatch: rows at a time; hidden: as tileColumns
    SlotCountsTiling counted;
    int64_t capacity;   // drop/pad: rows of every expert; else 0
    int64_t scaleRows;  // of the input scale; 0: there is none
    int64_t zeroBytes;  // at a time, of a row that no slot takes
};
static_assert(sizeof(RoutedRowsTiling) == 200, "shared with the device");

#endif
