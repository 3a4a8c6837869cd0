// MoeTokenUnpermute in Ascend C: a token is the sum of its topK permuted rows, each multiplied by
// its probability, in fp32 from the first slot to the last and rounded once. Without probabilities
// it is its one row. Slots of rows that the permutation dropped, and those of probability zero, add
// nothing.

#include "kernel_operator.h"
#include "../shared/slots/slot_sum_kernel.h"
#include "../shared/slots/slot_weights_kernel.h"
#include "moe_token_unpermute_tiling.h"

namespace moe_token_unpermute_kernel {

using Tiling = MoeTokenUnpermuteTilingData;

struct Tensors {
    GM_ADDR permutedTokens;
    GM_ADDR sortedIndices;
    GM_ADDR probs;
    GM_ADDR out;
};

template <typename T, typename Weights>
__aicore__ inline void Sum(const Tensors& tensors, const __gm__ Tiling* tiling) {
    AscendC::TPipe pipe;
    row_sum::SlotSum<T, Weights> kernel;
    kernel.Init(tensors.permutedTokens, tensors.sortedIndices, tensors.out, tiling->topK,
                &tiling->rows, &pipe, tensors.probs);
    kernel.Process();
}

template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    using row_sum::SlotWeights;
    switch (tiling->probsDtype) {
        case -1:
            return Sum<T, row_sum::NoWeights>(tensors, tiling);
        case 0:
            return Sum<T, SlotWeights<float>>(tensors, tiling);
        case 1:
            return Sum<T, SlotWeights<half>>(tensors, tiling);
        case 27:
            return Sum<T, SlotWeights<bfloat16_t>>(tensors, tiling);
    }
}

}  // namespace moe_token_unpermute_kernel

extern "C" __global__ __aicore__ void moe_token_unpermute(GM_ADDR permutedTokens,
                                                          GM_ADDR sortedIndices, GM_ADDR probs,
                                                          GM_ADDR out, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using moe_token_unpermute_kernel::Run;
    const moe_token_unpermute_kernel::Tensors tensors{permutedTokens, sortedIndices, probs, out};
    auto data = reinterpret_cast<const __gm__ moe_token_unpermute_kernel::Tiling*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float>(tensors, data);
        case 1:
            return Run<half>(tensors, data);
        case 27:
            return Run<bfloat16_t>(tensors, data);
    }
}
