// MoeFinalizeRoutingV2Grad in Ascend C. Without scales the gradient of a token goes, bit by bit, to
// the row that its one slot names (../shared/slot_copy_kernel.h). With them both the rows and the
// scales get gradients (../shared/slot_grad_kernel.h, which fixes the order of the additions), and
// what was added to a row before may be its expert's bias (../shared/slot_bias_kernel.h).
//
// A slot whose index is negative, or not below the number of rows, is passed over; its scale gets
// the gradient +0.0. Rows that no slot names are zeros in drop/pad mode, and else stay as they are.

#include "kernel_operator.h"

#include <type_traits>

#include "../shared/rows/zero_fill_kernel.h"
#include "../shared/slots/slot_bias_kernel.h"
#include "../shared/slots/slot_copy_kernel.h"
#include "../shared/slots/slot_grad_kernel.h"
#include "moe_finalize_routing_v2_grad_tiling.h"

namespace moe_finalize_routing_v2_grad_kernel {

using AscendC::TPipe;
using slot_grad::Tensors;
using Tiling = MoeFinalizeRoutingV2GradTilingData;

template <typename Bits>
__aicore__ inline void Copy(const Tensors& tensors, const __gm__ Tiling* tiling) {
    const slot_copy::Tensors copied{tensors.grads,   nullptr, nullptr, tensors.rowGrads,
                                    tensors.indices, nullptr, nullptr};
    slot_copy::Copy<Bits>(copied, &tiling->copies);
}

template <typename T, typename Bias>
__aicore__ inline void Weigh(const Tensors& tensors, const __gm__ Tiling* tiling) {
    TPipe pipe;
    slot_grad::SlotGrad<T, T, row_sum::RankedRows, Bias> kernel;
    kernel.Init(tensors, &tiling->slots, &pipe, row_sum::RankedRows{0});
    kernel.Process();
}

template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(uint16_t), uint16_t, uint32_t>;
    if (tiling->zeroedElements > 0) {
        zero_fill::WriteAll<Bits>(tensors.rowGrads, tiling->zeroedElements, tiling->zerosAtOnce);
        AscendC::SyncAll();
    }
    if (tiling->hasScales == 0) {
        Copy<Bits>(tensors, tiling);
    } else if (tiling->hasBias == 0) {
        Weigh<T, slot_grad::NoBias>(tensors, tiling);
    } else {
        Weigh<T, slot_grad::SlotBias<T>>(tensors, tiling);
    }
}

}  // namespace moe_finalize_routing_v2_grad_kernel

extern "C" __global__ __aicore__ void moe_finalize_routing_v2_grad(
    GM_ADDR gradY, GM_ADDR expandedRowIdx, GM_ADDR expandedX, GM_ADDR scales, GM_ADDR expertIdx,
    GM_ADDR bias, GM_ADDR gradExpandedX, GM_ADDR gradScales, GM_ADDR tiling) {
    // The hardware's SyncAll needs a kernel of the mixed type; no cube unit takes part.
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using moe_finalize_routing_v2_grad_kernel::Run;
    const slot_grad::Tensors tensors{expandedX,     gradY,      expandedRowIdx, scales,
                                     gradExpandedX, gradScales, expertIdx,      bias};
    auto data = reinterpret_cast<const __gm__ moe_finalize_routing_v2_grad_kernel::Tiling*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float>(tensors, data);
        case 1:
            return Run<half>(tensors, data);
        case 27:
            return Run<bfloat16_t>(tensors, data);
    }
}
