// MoeTokenPermuteGrad in Ascend C: the gradient of a token is the sum of the gradients of its topK
// permuted rows, added in fp32 from the first slot to the last and rounded once. Rows that the
// forward operator dropped have indices from the number of rows on, and add nothing.

#include "kernel_operator.h"
#include "../shared/slots/slot_sum_kernel.h"
#include "moe_token_permute_grad_tiling.h"

namespace moe_token_permute_grad_kernel {

template <typename T>
__aicore__ inline void Run(GM_ADDR permutedOutputGrad, GM_ADDR sortedIndices, GM_ADDR inputGrad,
                           const __gm__ MoeTokenPermuteGradTilingData* tiling) {
    AscendC::TPipe pipe;
    row_sum::SlotSum<T> kernel;
    kernel.Init(permutedOutputGrad, sortedIndices, inputGrad, tiling->topK, &tiling->rows, &pipe);
    kernel.Process();
}

}  // namespace moe_token_permute_grad_kernel

extern "C" __global__ __aicore__ void moe_token_permute_grad(GM_ADDR permutedOutputGrad,
                                                             GM_ADDR sortedIndices,
                                                             GM_ADDR inputGrad, GM_ADDR workspace,
                                                             GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using moe_token_permute_grad_kernel::Run;
    (void)workspace;
    auto data = reinterpret_cast<const __gm__ MoeTokenPermuteGradTilingData*>(tiling);
    switch (data->key) {
        case 0:
            return Run<bfloat16_t>(permutedOutputGrad, sortedIndices, inputGrad, data);
        case 2:
            return Run<half>(permutedOutputGrad, sortedIndices, inputGrad, data);
        case 4:
            return Run<float>(permutedOutputGrad, sortedIndices, inputGrad, data);
    }
}
