// A token's row goes to the places that its slots have in the order of their experts
// (slot_copy_kernel.h).
//
// A stable argsort of the indices gives the slot of every rank. A second one, of these slots, gives
// the rank of every slot: the operators' second output, by which rows are copied.
#ifndef SLOT_SORT_KERNEL_H
#define SLOT_SORT_KERNEL_H

#include "kernel_operator.h"
#include "../slots/slot_copy_kernel.h"
#include "../slots/slot_copy_tiling.h"
#include "stable_sort_kernel.h"

namespace slot_copy {

template <typename Index>
__aicore__ inline void Sort(const Tensors& tensors, const __gm__ SlotCopyTiling* tiling) {
    GlobalTensor<Index> experts;
    GlobalTensor<int32_t> slotOfRank;
    GlobalTensor<int32_t> rankOfSlot;
    experts.SetGlobalBuffer(reinterpret_cast<__gm__ Index*>(tensors.indices));
    slotOfRank.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.workspace));
    rankOfSlot.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.sortedIndices));
    GM_ADDR pairs = tensors.workspace + tiling->pairsOffset;
    TPipe pipe;
    stable_sort::Sorter sorter;
    sorter.Init(&tiling->sort, pairs, pairs + tiling->pairsBytes, &pipe);
    sorter.ArgSort(experts, slotOfRank);
    sorter.ArgSort(slotOfRank, rankOfSlot);
    pipe.Destroy();
}

template <typename Index, typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ SlotCopyTiling* tiling) {
    // Every block takes part in the sort, which ends for all of them at the same time.
    Sort<Index>(tensors, tiling);
    Copy<T>(tensors, tiling);
}

}  // namespace slot_copy

#endif
