// Which sum of tokens a kernel runs: by the data types of rows and scales, whether there is a bias,
// and whether there are ranges of special experts.
#ifndef FINALIZE_KERNEL_H
#define FINALIZE_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

#include "finalize_ranges_kernel.h"
#include "finalize_sum_kernel.h"
#include "finalize_tiling.h"

namespace finalize {

using row_sum::NoWeights;
using row_sum::SlotWeights;

// The sum without ranges.
struct Plain {
    const Tensors& tensors;
    const __gm__ FinalizeTiling* tiling;

    template <typename T, typename Scales>
    __aicore__ inline void RunWith() const {
        if (tiling->biasRows > 0) {
            return Sum<T, Scales, true>();
        }
        return Sum<T, Scales, false>();
    }

    template <typename T, typename Scales, bool HAS_BIAS>
    __aicore__ inline void Sum() const {
        AscendC::TPipe pipe;
        TokenSum<T, Scales, HAS_BIAS> kernel;
        kernel.Init(tensors, tiling, &pipe);
        kernel.Process();
    }
};

// The sum with them.
struct Ranged {
    const Tensors& tensors;
    const __gm__ FinalizeRangesTiling* tiling;
    const RangeTensors& more;

    template <typename T, typename Scales>
    __aicore__ inline void RunWith() const {
        AscendC::TPipe pipe;
        ExpertRanges<T> ranges;
        ranges.Init(more, tiling);
        TokenSum<T, Scales, true, ExpertRanges<T>> kernel;
        kernel.Init(tensors, tiling, &pipe, ranges);
        kernel.Process();
    }
};

// Scales have the data type of the rows, and may be of fp32 where these are of bf16.
template <typename T, typename Any>
__aicore__ inline void Run(const Any& sum) {
    if (sum.tiling->scalesDtype == -1) {
        return sum.template RunWith<T, NoWeights>();
    }
    if (sum.tiling->scalesDtype == sum.tiling->dtype) {
        return sum.template RunWith<T, SlotWeights<T>>();
    }
    if constexpr (std::is_same_v<T, bfloat16_t>) {
        return sum.template RunWith<T, SlotWeights<float>>();
    }
}

template <typename Any>
__aicore__ inline void RunAny(const Any& sum) {
    switch (sum.tiling->dtype) {
        case 0:
            return Run<float>(sum);
        case 1:
            return Run<half>(sum);
        case 27:
            return Run<bfloat16_t>(sum);
    }
}

// A call that may have ranges.
__aicore__ inline void RunRanged(const Tensors& tensors, const RangeTensors& more,
                                 const __gm__ FinalizeRangesTiling* tiling) {
    if (tiling->hasRanges != 0) {
        return RunAny(Ranged{tensors, tiling, more});
    }
    return RunAny(Plain{tensors, tiling});
}

}  // namespace finalize

#endif
