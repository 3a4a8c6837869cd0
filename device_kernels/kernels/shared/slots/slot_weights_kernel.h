// Weights of slots: a number for each, in a data type of their own, by which its row is multiplied
// in fp32. Where the sum asks IsKept, a zero of either sign leaves its slot out: zero times
// infinity would be no number.
#ifndef SLOT_WEIGHTS_KERNEL_H
#define SLOT_WEIGHTS_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

namespace row_sum {

// A weight in fp32, which holds it exactly.
template <typename T>
__aicore__ inline float Wide(const T& weight) {
    if constexpr (std::is_same_v<T, bfloat16_t>) {
        return AscendC::ToFloat(weight);
    } else {
        return static_cast<float>(weight);
    }
}

// Those of a batch lie in UB together.
template <typename T>
class SlotWeights {
public:
    __aicore__ inline void Init(GM_ADDR weights, int64_t mostSlots, AscendC::TPipe* pipe) {
        weights_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(weights));
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(mostSlots * sizeof(T)));
    }

    // The weights of `slots` slots from `first` on. The caller orders the copy and the reads.
    __aicore__ inline void Load(int64_t first, int64_t slots) {
        const uint32_t bytes = static_cast<uint32_t>(slots * sizeof(T));
        AscendC::LocalTensor<T> weights = buffer_.template Get<T>();
        AscendC::DataCopyPad(weights, weights_[first],
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<T>{});
    }

    // Of the slot at `place` of the batch.
    __aicore__ inline float At(int64_t place) {
        return Wide(buffer_.template Get<T>().GetValue(static_cast<uint32_t>(place)));
    }

    __aicore__ inline static bool IsKept(float weight) { return weight != 0; }

private:
    AscendC::GlobalTensor<T> weights_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};

}  // namespace row_sum

#endif
