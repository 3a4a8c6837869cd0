// MoeTokenUnpermuteWithRoutingMapGrad in Ascend C. The row of a slot gets the gradient of its token
// times the prob of its token and expert; the prob gets the sum of the products of the two rows
// (../shared/slots/slot_grad_kernel.h). Without probs the gradient of the token is moved bit by
// bit.
//
// Not padded, slots lie token by token, and the true places of the map are the experts of a token's
// slots, from the first on. Padded, tokens are listed, and an expert has its rows together. A slot
// without a row is passed over. Probs that no slot has get zeros, rows stay as they are.

#include "kernel_operator.h"

#include <type_traits>

#include "../shared/rows/zero_fill_kernel.h"
#include "../shared/slots/slot_grad_kernel.h"
#include "moe_token_unpermute_with_routing_map_grad_kernel_slots.h"
#include "moe_token_unpermute_with_routing_map_grad_tiling.h"

namespace moe_token_unpermute_with_routing_map_grad_kernel {

using AscendC::TPipe;
using slot_grad::Tensors;
using Tiling = MoeTokenUnpermuteWithRoutingMapGradTilingData;

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(uint16_t), uint16_t, uint32_t>;

template <typename T, typename P>
__aicore__ inline void Weigh(const Tensors& tensors, const Slots& slots,
                             const __gm__ Tiling* tiling) {
    zero_fill::WriteAll<BitsOf<P>>(tensors.weightGrads, tiling->probs, tiling->zerosAtOnce);
    AscendC::SyncAll();
    TPipe pipe;
    slot_grad::SlotGrad<T, P, row_sum::RankedRows, slot_grad::NoBias, MappedWeights<P>> kernel;
    kernel.Init(tensors, &tiling->slots, &pipe, {0}, MappedWeights<P>(slots));
    kernel.Process();
}

template <typename Bits>
__aicore__ inline void Move(const Tensors& tensors, Slots slots, const __gm__ Tiling* tiling) {
    const auto grads = gm::At<Bits>(tensors.grads);
    const auto rowGrads = gm::At<Bits>(tensors.rowGrads);
    const int64_t hidden = tiling->slots.hidden;
    const int64_t most = tiling->slots.tileColumns;
    TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue;
    const int64_t room = slot_grad::RoundedToBlocks<Bits>(most);
    pipe.InitBuffer(queue, 2, static_cast<uint32_t>(room * sizeof(Bits)));
    const row_sum::Share share =
        row_sum::ShareOf(tiling->slots.slots, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
    for (int64_t slot = share.first; slot < share.end; ++slot) {
        const int64_t row = row_sum::RankedRows{0}.RowOf(slots.RowAt(slot));
        const int64_t token = slots.TokenOf(slot);
        for (int64_t column = 0; row < tiling->slots.rows && column < hidden; column += most) {
            const int64_t columns = ordering::Least(most, hidden - column);
            const AscendC::DataCopyExtParams piece{1, static_cast<uint32_t>(columns * sizeof(Bits)),
                                                   0, 0, 0};
            AscendC::LocalTensor<Bits> tile = queue.template AllocTensor<Bits>();
            AscendC::DataCopyPad(tile, grads[token * hidden + column], piece,
                                 AscendC::DataCopyPadExtParams<Bits>{});
            queue.EnQue(tile);
            tile = queue.template DeQue<Bits>();
            AscendC::DataCopyPad(rowGrads[row * hidden + column], tile, piece);
            queue.FreeTensor(tile);
        }
    }
}

template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const Slots& slots,
                           const __gm__ Tiling* tiling) {
    if (tiling->probsDtype < 0) {
        return Move<BitsOf<T>>(tensors, slots, tiling);
    }
    if constexpr (std::is_same_v<T, bfloat16_t>) {  // fp32 probs go with no other rows
        if (tiling->probsDtype == 0) {
            return Weigh<T, float>(tensors, slots, tiling);
        }
    }
    return Weigh<T, T>(tensors, slots, tiling);
}

}  // namespace moe_token_unpermute_with_routing_map_grad_kernel

extern "C" __global__ __aicore__ void moe_token_unpermute_with_routing_map_grad(
    GM_ADDR unpermutedTokensGrad, GM_ADDR outIndex, GM_ADDR permuteTokenId, GM_ADDR routingMap,
    GM_ADDR permutedTokens, GM_ADDR probs, GM_ADDR permutedTokensGrad, GM_ADDR probsGrad,
    GM_ADDR tiling) {
    // The hardware's SyncAll needs a kernel of the mixed type; no cube unit takes part.
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    namespace kernel = moe_token_unpermute_with_routing_map_grad_kernel;
    const slot_grad::Tensors tensors{permutedTokens,
                                     unpermutedTokensGrad,
                                     outIndex,
                                     probs,
                                     permutedTokensGrad,
                                     probsGrad,
                                     nullptr,
                                     nullptr};
    auto data = reinterpret_cast<const __gm__ kernel::Tiling*>(tiling);
    const kernel::Slots slots{gm::At<int32_t>(outIndex),
                              gm::At<int32_t>(permuteTokenId),
                              data->padded != 0,
                              data->capacity,
                              {gm::At<uint8_t>(routingMap), data->experts, data->slots.topK}};
    switch (data->dtype) {
        case 0:
            return kernel::Run<float>(tensors, slots, data);
        case 1:
            return kernel::Run<half>(tensors, slots, data);
        case 27:
            return kernel::Run<bfloat16_t>(tensors, slots, data);
    }
}
