// Which sum of tokens a kernel runs: by the data types of rows and scales, and whether there is a
// bias.
#ifndef FINALIZE_KERNEL_H
#define FINALIZE_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

#include "finalize_sum_kernel.h"
#include "finalize_tiling.h"

namespace finalize {

using row_sum::NoWeights;
using row_sum::SlotWeights;

template <typename T, typename Scales, bool HAS_BIAS>
__aicore__ inline void Sum(const Tensors& tensors, const __gm__ FinalizeTiling* tiling) {
    AscendC::TPipe pipe;
    TokenSum<T, Scales, HAS_BIAS> kernel;
    kernel.Init(tensors, tiling, &pipe);
    kernel.Process();
}

template <typename T, typename Scales>
__aicore__ inline void RunWith(const Tensors& tensors, const __gm__ FinalizeTiling* tiling) {
    if (tiling->biasRows > 0) {
        return Sum<T, Scales, true>(tensors, tiling);
    }
    return Sum<T, Scales, false>(tensors, tiling);
}

// Scales have the data type of the rows, and may be of fp32 where these are of bf16.
template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ FinalizeTiling* tiling) {
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

__aicore__ inline void RunAny(const Tensors& tensors, const __gm__ FinalizeTiling* tiling) {
    switch (tiling->dtype) {
        case 0:
            return Run<float>(tensors, tiling);
        case 1:
            return Run<half>(tensors, tiling);
        case 27:
            return Run<bfloat16_t>(tensors, tiling);
    }
}

}  // namespace finalize

#endif
