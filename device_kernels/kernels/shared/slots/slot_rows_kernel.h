// Which row of a table the index of a slot names. One from the number of rows on is none.
#ifndef SLOT_ROWS_KERNEL_H
#define SLOT_ROWS_KERNEL_H

#include "kernel_operator.h"

#include <cstdint>

namespace row_sum {

// Indices are the numbers of rows. A negative one is the caller's mistake, and is not left out:
// reading its row is told.
struct NumberedRows {
    __aicore__ inline int64_t RowOf(int64_t index) const { return index; }
};

// Indices are ranks, and rows those of the ranks from `first` on. A lower rank has no row.
struct RankedRows {
    int64_t first;

    __aicore__ inline int64_t RowOf(int64_t index) const {
        return index < first ? INT64_MAX : index - first;
    }
};

}  // namespace row_sum

#endif
