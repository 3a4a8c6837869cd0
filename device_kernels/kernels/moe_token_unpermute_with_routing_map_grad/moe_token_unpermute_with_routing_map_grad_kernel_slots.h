// Tokens and experts of slots, and the weights that lie in their places of a table. The scalar unit
// reads them one by one.
#ifndef MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_SLOTS_H
#define MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_SLOTS_H

#include "kernel_operator.h"
#include "../shared/routing_map/mapped_experts_kernel.h"
#include "../shared/rows/address_kernel.h"
#include "../shared/slots/slot_grad_kernel.h"

namespace moe_token_unpermute_with_routing_map_grad_kernel {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;

struct Slots {
    __aicore__ inline int64_t RowAt(int64_t slot) {
        return indices.GetValue(static_cast<uint64_t>(slot));
    }

    __aicore__ inline int64_t TokenOf(int64_t slot) {
        return isPadded ? tokens.GetValue(static_cast<uint64_t>(slot)) : slot / mapped.topK;
    }

    // The first slot from which on experts must be asked for, to have that of `slot`.
    __aicore__ inline int64_t Begin(int64_t slot) const { return slot - slot % mapped.topK; }

    // The number of experts, or more, of a slot that has none.
    __aicore__ inline int64_t ExpertOf(int64_t slot) {
        const int64_t row = RowAt(slot);
        const int64_t expert = isPadded ? row / capacity : mapped.Of(slot);
        return row < 0 ? mapped.experts : expert;
    }

    GlobalTensor<int32_t> indices;
    GlobalTensor<int32_t> tokens;
    bool isPadded;
    int64_t capacity;
    routing_map::MappedExperts mapped;
};

// As slot_grad_kernel.h asks for them. Experts of a batch lie in UB. A slot with a row, but without
// an expert, has the weight zero, and its gradient no place.
template <typename W>
class MappedWeights {
public:
    static constexpr int64_t PITCH = slot_grad::BLOCK_BYTES / static_cast<int64_t>(sizeof(W));

    MappedWeights() = default;
    __aicore__ inline explicit MappedWeights(const Slots& slots) : slots_(slots) {}

    __aicore__ inline void Init(const slot_grad::Tensors& tensors,
                                const __gm__ SlotGradTiling* tiling, AscendC::TPipe* pipe) {
        weights_ = gm::At<W>(tensors.weights);
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(tiling->slotsPerBatch * sizeof(int32_t)));
    }

    __aicore__ inline void Load(int64_t first, int64_t slots) {
        LocalTensor<int32_t> experts = buffer_.template Get<int32_t>();
        first_ = first;
        for (int64_t slot = slots_.Begin(first); slot < first + slots; ++slot) {
            const int64_t expert = slots_.ExpertOf(slot);
            if (slot >= first) {
                experts.SetValue(static_cast<uint32_t>(slot - first), static_cast<int32_t>(expert));
            }
        }
    }

    __aicore__ inline int64_t TokenOf(int64_t slot) { return slots_.TokenOf(slot); }

    __aicore__ inline float At(int64_t place) {
        return HasExpert(place) ? row_sum::Wide(weights_.GetValue(PlaceOf(place))) : 0.0f;
    }

    __aicore__ inline void CopyOut(const GlobalTensor<W>& to, const LocalTensor<W>& from, int64_t,
                                   int64_t slots) {
        for (int64_t i = 0; i < slots; ++i) {
            if (HasExpert(i)) {
                AscendC::DataCopyPad(to[PlaceOf(i)], from[i * PITCH],
                                     AscendC::DataCopyExtParams{1, sizeof(W), 0, 0, 0});
            }
        }
    }

private:
    __aicore__ inline int64_t ExpertAt(int64_t place) {
        return buffer_.template Get<int32_t>().GetValue(static_cast<uint32_t>(place));
    }

    __aicore__ inline bool HasExpert(int64_t place) {
        return ExpertAt(place) < slots_.mapped.experts;
    }

    // In the table, of the slot at `place` of the batch.
    __aicore__ inline uint64_t PlaceOf(int64_t place) {
        const int64_t line = TokenOf(first_ + place) * slots_.mapped.experts;
        return static_cast<uint64_t>(line + ExpertAt(place));
    }

    Slots slots_;
    GlobalTensor<W> weights_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    int64_t first_ = 0;
};

}  // namespace moe_token_unpermute_with_routing_map_grad_kernel

#endif
