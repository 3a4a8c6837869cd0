// Tiles of rows as gradients of slots take them: copied into UB, and widened to fp32.
#ifndef SLOT_TILE_KERNEL_H
#define SLOT_TILE_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

namespace slot_grad {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::QuePosition;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

constexpr int32_t BUFFERS = 2;
constexpr int64_t BLOCK_BYTES = 32;

// Null: the tensors of what a call does without.
struct Tensors {
    GM_ADDR rows;
    GM_ADDR grads;
    GM_ADDR indices;
    GM_ADDR weights;
    GM_ADDR rowGrads;
    GM_ADDR weightGrads;
    GM_ADDR experts;
    GM_ADDR biases;
};

// Elements of T that `columns` columns occupy in UB. Those past `columns` are zeros in what is
// copied in, and so are their sums and products.
template <typename T>
__aicore__ inline int64_t RoundedToBlocks(int64_t columns) {
    constexpr int64_t granule = BLOCK_BYTES / sizeof(T);
    return (columns + granule - 1) / granule * granule;
}

template <typename T>
__aicore__ inline LocalTensor<T> CopyIn(TQue<QuePosition::VECIN, BUFFERS>& queue,
                                        const GlobalTensor<T>& from, int64_t columns) {
    const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
    DataCopyPadExtParams<T> zeros;
    zeros.isPad = true;
    zeros.rightPadding = static_cast<uint8_t>(RoundedToBlocks<T>(columns) - columns);
    LocalTensor<T> values = queue.template AllocTensor<T>();
    AscendC::DataCopyPad(values, from, DataCopyExtParams{1, bytes, 0, 0, 0}, zeros);
    queue.EnQue(values);
    return queue.template DeQue<T>();
}

// In fp32 the values themselves.
template <typename T>
__aicore__ inline LocalTensor<float> Widened(const LocalTensor<T>& values,
                                             TBuf<TPosition::VECCALC>& buffer, int64_t columns) {
    if constexpr (std::is_same_v<T, float>) {
        return values;
    } else {
        LocalTensor<float> wide = buffer.template Get<float>();
        AscendC::Cast(wide, values, RoundMode::CAST_NONE,
                      static_cast<int32_t>(RoundedToBlocks<T>(columns)));
        AscendC::PipeBarrier<PIPE_V>();
        return wide;
    }
}

}  // namespace slot_grad

#endif
