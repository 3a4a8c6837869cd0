// Slots in the order of their experts, and how many slots experts have.
#ifndef SORTED_COUNTS_KERNEL_H
#define SORTED_COUNTS_KERNEL_H

#include "kernel_operator.h"
#include "../sorting/slot_sort_kernel.h"
#include "slot_counts_kernel.h"
#include "slot_places_kernel.h"

namespace slot_counts {

// This block counts slots [first, end). Zeros come first, which the sort's barriers put before what
// is added to them. Without slots no block waits for another.
__aicore__ inline void SortAndCount(const slot_copy::Tensors& tensors, GM_ADDR counts,
                                    GM_ADDR starts, const __gm__ SlotCopyTiling& slots,
                                    const __gm__ SlotCountsTiling& counted, int64_t first,
                                    int64_t end) {
    if (counted.experts > 0) {
        TPipe pipe;
        Counter counter;
        counter.Init(tensors.indices, counts, starts, counted, &pipe);
        counter.WriteZeros();
        pipe.Destroy();
    }
    if (slots.tokens * slots.topK == 0) {
        return;
    }
    slot_copy::Sort<int32_t>(tensors, &slots);
    if (counted.experts > 0) {
        TPipe pipe;
        Counter counter;
        counter.Init(tensors.indices, counts, starts, counted, &pipe);
        counter.AddSlots(first, end);
        pipe.Destroy();
    }
}

// The ranks of slots [first, end) become their places.
__aicore__ inline void Place(const slot_copy::Tensors& tensors, GM_ADDR starts, int64_t capacity,
                             const __gm__ SlotCountsTiling& counted, int64_t first, int64_t end) {
    TPipe pipe;
    Placer placer;
    placer.Init(tensors.indices, tensors.sortedIndices, starts, capacity, counted, &pipe);
    placer.Process(first, end);
    pipe.Destroy();
}

}  // namespace slot_counts

#endif
