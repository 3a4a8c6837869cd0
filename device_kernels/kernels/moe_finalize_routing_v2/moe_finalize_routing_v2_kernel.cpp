// MoeFinalizeRoutingV2 in Ascend C: a token is the sum of its addends and of the rows of its
// experts, each of these with the bias of its expert and multiplied by its scale
// (moe_finalize_routing_v2_kernel_sum.h).

#include "kernel_operator.h"
#include "moe_finalize_routing_v2_kernel_sum.h"
#include "moe_finalize_routing_v2_tiling.h"

namespace moe_finalize_routing_v2_kernel {

using row_sum::NoWeights;
using row_sum::SlotWeights;

template <typename T, typename Scales, bool HAS_BIAS>
__aicore__ inline void Sum(const Tensors& tensors, const __gm__ Tiling* tiling) {
    AscendC::TPipe pipe;
    TokenSum<T, Scales, HAS_BIAS> kernel;
    kernel.Init(tensors, tiling, &pipe);
    kernel.Process();
}

template <typename T, typename Scales>
__aicore__ inline void RunWith(const Tensors& tensors, const __gm__ Tiling* tiling) {
    if (tiling->biasRows > 0) {
        return Sum<T, Scales, true>(tensors, tiling);
    }
    return Sum<T, Scales, false>(tensors, tiling);
}

// Scales have the data type of the rows, and may be of fp32 where these are of bf16.
template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    if (tiling->scalesDtype == -1) {
        return RunWith<T, NoWeights>(tensors, tiling);
    }
    if (tiling->scalesDtype == tiling->dtype) {
        return RunWith<T, SlotWeights<T>>(tensors, tiling);
    }
    if constexpr (std::is_same_v<T, bfloat16_t>) {
        return RunWith<T, SlotWeights<float>>(tensors, tiling);
    }
}

}  // namespace moe_finalize_routing_v2_kernel

extern "C" __global__ __aicore__ void moe_finalize_routing_v2(GM_ADDR expandedX,
                                                              GM_ADDR expandedRowIdx, GM_ADDR x1,
                                                              GM_ADDR x2, GM_ADDR bias,
                                                              GM_ADDR scales, GM_ADDR expertIdx,
                                                              GM_ADDR out, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using moe_finalize_routing_v2_kernel::Run;
    const moe_finalize_routing_v2_kernel::Tensors tensors{expandedX, expandedRowIdx, x1, x2, bias,
                                                          scales,    expertIdx,      out};
    auto data = reinterpret_cast<const __gm__ moe_finalize_routing_v2_kernel::Tiling*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float>(tensors, data);
        case 1:
            return Run<half>(tensors, data);
        case 27:
            return Run<bfloat16_t>(tensors, data);
    }
}
