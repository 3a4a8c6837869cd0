// Gradients of sums over slots in the data types of a call: rows of one, and weights of another.
// Without weights the gradient of a token goes, bit by bit, to the row that its one slot names
// (slot_copy_kernel.h). With them both inputs of the sum get gradients (slot_grad_kernel.h). Rows
// that no slot names stay as they are.
#ifndef WEIGHED_GRAD_KERNEL_H
#define WEIGHED_GRAD_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

#include "slot_copy_kernel.h"
#include "slot_grad_kernel.h"
#include "slot_rows_kernel.h"

namespace weighed_grad {

using AscendC::TPipe;
using slot_grad::Tensors;

template <typename Bits, bool LEAVES_OUT_BELOW, typename Tiling>
__aicore__ inline void Copy(const Tensors& tensors, const __gm__ Tiling* tiling) {
    const slot_copy::Tensors copied{tensors.grads,   nullptr, nullptr, tensors.rowGrads,
                                    tensors.indices, nullptr, nullptr};
    TPipe pipe;
    slot_copy::Copier<Bits, LEAVES_OUT_BELOW> copier;
    copier.Init(copied, &tiling->copies, &pipe);
    copier.Process();
}

template <typename T, typename W, typename Tiling, typename Named>
__aicore__ inline void Weigh(const Tensors& tensors, const __gm__ Tiling* tiling, Named named) {
    TPipe pipe;
    slot_grad::SlotGrad<T, W, Named> kernel;
    kernel.Init(tensors, &tiling->slots, &pipe, named);
    kernel.Process();
}

template <typename T, typename Bits, typename Tiling, typename Named>
__aicore__ inline void OfRows(const Tensors& tensors, const __gm__ Tiling* tiling, Named named) {
    constexpr bool LEAVES_OUT_BELOW = !std::is_same_v<Named, row_sum::NumberedRows>;
    switch (tiling->probsDtype) {
        case -1:
            return Copy<Bits, LEAVES_OUT_BELOW>(tensors, tiling);
        case 0:
            return Weigh<T, float>(tensors, tiling, named);
        case 1:
            return Weigh<T, half>(tensors, tiling, named);
        case 27:
            return Weigh<T, bfloat16_t>(tensors, tiling, named);
    }
}

// Tiling: one with dtype, probsDtype, slots and copies. Named: which row an index names.
template <typename Tiling, typename Named>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling, Named named) {
    switch (tiling->dtype) {
        case 0:
            return OfRows<float, uint32_t>(tensors, tiling, named);
        case 1:
            return OfRows<half, uint16_t>(tensors, tiling, named);
        case 27:
            return OfRows<bfloat16_t, uint16_t>(tensors, tiling, named);
    }
}

}  // namespace weighed_grad

#endif
