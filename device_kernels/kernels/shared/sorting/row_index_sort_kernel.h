// Row indices in the order of the experts that their places have, and where each has come to.
#ifndef ROW_INDEX_SORT_KERNEL_H
#define ROW_INDEX_SORT_KERNEL_H

#include "kernel_operator.h"
#include "../rows/address_kernel.h"
#include "../slots/slot_copy_tiling.h"
#include "stable_sort_kernel.h"

namespace row_indices {

struct Tensors {
    GM_ADDR x;
    GM_ADDR rowIdx;
    GM_ADDR expertIdx;
    GM_ADDR expandedX;
    GM_ADDR expandedRowIdx;
    GM_ADDR expandedExpertIdx;
    GM_ADDR workspace;  // begins with the sorted row indices
};

// A permutation is inverted by an argsort. Every block takes part, and all end at the same time.
__aicore__ inline void Sort(const Tensors& tensors, const __gm__ SlotCopyTiling& slots) {
    using gm::At;
    const auto sortedRowIdx = At<int32_t>(tensors.workspace);
    GM_ADDR pairs = tensors.workspace + slots.pairsOffset;
    AscendC::TPipe pipe;
    stable_sort::Sorter sorter;
    sorter.Init(&slots.sort, pairs, pairs + slots.pairsBytes, &pipe);
    sorter.SortPairs(At<int32_t>(tensors.expertIdx), At<int32_t>(tensors.rowIdx),
                     At<int32_t>(tensors.expandedExpertIdx), sortedRowIdx);
    sorter.ArgSort(sortedRowIdx, At<int32_t>(tensors.expandedRowIdx));
    pipe.Destroy();
}

}  // namespace row_indices

#endif
