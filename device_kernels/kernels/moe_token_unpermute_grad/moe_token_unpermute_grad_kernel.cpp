// MoeTokenUnpermuteGrad in Ascend C. Without probabilities the gradient of a token goes, bit by
// bit, to the row that its one slot names (../shared/slot_copy_kernel.h). With them both inputs of
// the forward operator get gradients (../shared/slot_grad_kernel.h). Rows that no
// slot names stay as they are.

#include "kernel_operator.h"
#include "../shared/slots/slot_copy_kernel.h"
#include "../shared/slots/slot_grad_kernel.h"
#include "moe_token_unpermute_grad_tiling.h"

namespace moe_token_unpermute_grad_kernel {

using AscendC::TPipe;
using slot_grad::Tensors;
using Tiling = MoeTokenUnpermuteGradTilingData;

template <typename Bits>
__aicore__ inline void Copy(const Tensors& tensors, const __gm__ Tiling* tiling) {
    const slot_copy::Tensors copied{tensors.grads,   nullptr, nullptr, tensors.rowGrads,
                                    tensors.indices, nullptr, nullptr};
    TPipe pipe;
    slot_copy::Copier<Bits, /*LEAVES_OUT_BELOW=*/false> copier;
    copier.Init(copied, &tiling->copies, &pipe);
    copier.Process();
}

template <typename T, typename P>
__aicore__ inline void Weigh(const Tensors& tensors, const __gm__ Tiling* tiling) {
    TPipe pipe;
    slot_grad::SlotGrad<T, P> kernel;
    kernel.Init(tensors, &tiling->slots, &pipe);
    kernel.Process();
}

template <typename T, typename Bits>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    switch (tiling->probsDtype) {
        case -1:
            return Copy<Bits>(tensors, tiling);
        case 0:
            return Weigh<T, float>(tensors, tiling);
        case 1:
            return Weigh<T, half>(tensors, tiling);
        case 27:
            return Weigh<T, bfloat16_t>(tensors, tiling);
    }
}

}  // namespace moe_token_unpermute_grad_kernel

extern "C" __global__ __aicore__ void moe_token_unpermute_grad(GM_ADDR permutedTokens,
                                                               GM_ADDR unpermutedTokensGrad,
                                                               GM_ADDR sortedIndices, GM_ADDR probs,
                                                               GM_ADDR permutedTokensGrad,
                                                               GM_ADDR probsGrad, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using moe_token_unpermute_grad_kernel::Run;
    const moe_token_unpermute_grad_kernel::Tensors tensors{permutedTokens,
                                                           unpermutedTokensGrad,
                                                           sortedIndices,
                                                           probs,
                                                           permutedTokensGrad,
                                                           probsGrad,
                                                           nullptr,
                                                           nullptr};
    auto data = reinterpret_cast<const __gm__ moe_token_unpermute_grad_kernel::Tiling*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float, uint32_t>(tensors, data);
        case 1:
            return Run<half, uint16_t>(tensors, data);
        case 27:
            return Run<bfloat16_t, uint16_t>(tensors, data);
    }
}
