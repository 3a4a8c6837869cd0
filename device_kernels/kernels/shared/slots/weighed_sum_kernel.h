// Sums over slots in the data types of a call: rows of one, and weights of another where there are
// any, by which they are multiplied (slot_sum_kernel.h, slot_weights_kernel.h).
#ifndef WEIGHED_SUM_KERNEL_H
#define WEIGHED_SUM_KERNEL_H

#include "kernel_operator.h"
#include "slot_sum_kernel.h"
#include "slot_weights_kernel.h"

namespace weighed_sum {

struct Tensors {
    GM_ADDR rows;
    GM_ADDR indices;
    GM_ADDR weights;  // null: none
    GM_ADDR sums;
};

template <typename T, typename Weights, typename Tiling, typename Named>
__aicore__ inline void Sum(const Tensors& tensors, const __gm__ Tiling* tiling, Named named) {
    AscendC::TPipe pipe;
    row_sum::SlotSum<T, Weights, Named> kernel;
    kernel.Init(tensors.rows, tensors.indices, tensors.sums, tiling->topK, &tiling->rows, &pipe,
                tensors.weights, named);
    kernel.Process();
}

template <typename T, typename Tiling, typename Named>
__aicore__ inline void OfRows(const Tensors& tensors, const __gm__ Tiling* tiling, Named named) {
    using row_sum::SlotWeights;
    switch (tiling->probsDtype) {
        case -1:
            return Sum<T, row_sum::NoWeights>(tensors, tiling, named);
        case 0:
            return Sum<T, SlotWeights<float>>(tensors, tiling, named);
        case 1:
            return Sum<T, SlotWeights<half>>(tensors, tiling, named);
        case 27:
            return Sum<T, SlotWeights<bfloat16_t>>(tensors, tiling, named);
    }
}

// Tiling: one with dtype, probsDtype, topK and rows. Named: which row an index names.
template <typename Tiling, typename Named>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling, Named named) {
    switch (tiling->dtype) {
        case 0:
            return OfRows<float>(tensors, tiling, named);
        case 1:
            return OfRows<half>(tensors, tiling, named);
        case 27:
            return OfRows<bfloat16_t>(tensors, tiling, named);
    }
}

}  // namespace weighed_sum

#endif
