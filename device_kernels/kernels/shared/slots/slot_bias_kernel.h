// What was added to the row of a slot before its weight multiplied it: a row of another table, that
// of the slot's expert. The sum is rounded to fp32 before anything is done with it.
#ifndef SLOT_BIAS_KERNEL_H
#define SLOT_BIAS_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

#include "slot_grad_tiling.h"
#include "slot_tile_kernel.h"

namespace slot_grad {

// Experts of the slots of a batch lie in UB together, a tile of a bias at a time. Nobody checks
// experts: one without a bias is the caller's mistake, and reading its row is told.
template <typename T>
class SlotBias {
public:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ SlotGradTiling* tiling,
                                TPipe* pipe) {
        hidden_ = tiling->hidden;
        experts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.experts));
        biases_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.biases));
        const uint32_t columns = static_cast<uint32_t>(RoundedToBlocks<T>(tiling->tileColumns));
        pipe->InitBuffer(queue_, BUFFERS, columns * sizeof(T));
        if constexpr (!IS_WIDE) {
            pipe->InitBuffer(widened_, columns * sizeof(float));
        }
        pipe->InitBuffer(expertBuffer_,
                         static_cast<uint32_t>(tiling->slotsPerBatch * sizeof(int32_t)));
    }

    // The experts of `slots` slots from `first` on. The caller orders the copy and the reads.
    __aicore__ inline void Load(int64_t first, int64_t slots) {
        const uint32_t bytes = static_cast<uint32_t>(slots * sizeof(int32_t));
        AscendC::DataCopyPad(expertBuffer_.template Get<int32_t>(), experts_[first],
                             DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<int32_t>{});
    }

    // Adds columns [column, column + columns) of the bias of the slot at `place` of the batch.
    __aicore__ inline void AddTo(const LocalTensor<float>& row, int64_t place, int64_t column,
                                 int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks<T>(columns));
        LocalTensor<T> copied =
            CopyIn(queue_, biases_[ExpertOf(place) * hidden_ + column], columns);
        AscendC::Add(row, row, Widened(copied, widened_, columns), count);
        AscendC::PipeBarrier<PIPE_V>();
        queue_.FreeTensor(copied);
    }

private:
    static constexpr bool IS_WIDE = std::is_same_v<T, float>;

    __aicore__ inline int64_t ExpertOf(int64_t place) {
        return expertBuffer_.template Get<int32_t>().GetValue(static_cast<uint32_t>(place));
    }

    GlobalTensor<int32_t> experts_;
    GlobalTensor<T> biases_;
    TQue<QuePosition::VECIN, BUFFERS> queue_;
    TBuf<TPosition::VECCALC> widened_;
    TBuf<TPosition::VECCALC> expertBuffer_;
    int64_t hidden_;
};

}  // namespace slot_grad

#endif
