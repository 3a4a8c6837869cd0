// Gradients of rows that weights, one to a slot, were multiplied with. The row of a slot gets the
// gradient of its token times the slot's weight, rounded once; the weight gets the sum over all
// columns of the products of row and gradient, in fp32. Something may have been added to the row
// before (slot_bias_kernel.h). A slot that names none of the rows (slot_rows_kernel.h) writes none,
// and its weight gets the gradient +0.0.
//
// The order of the additions is part of the contract, since it makes the result the same for every
// core count and tile size. Each slot has 64 lanes, +0.0 at the start:
//     1. the product of column c is added to lane c % 64, from the first column to the last;
//     2. neighbours are added, lanes 0 and 1, 2 and 3, ..., and their sums again in the same way,
//        until one is left.
// It is rounded once more to the data type of the weights. Weights lie in a list, as their
// gradients do, or wherever a class of its own finds them.
#ifndef SLOT_GRAD_KERNEL_H
#define SLOT_GRAD_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

#include "../sorting/ordering_kernel.h"
#include "slot_grad_tiling.h"
#include "slot_rows_kernel.h"
#include "slot_tile_kernel.h"
#include "slot_weights_kernel.h"

namespace slot_grad {

using AscendC::HardEvent;
using ordering::Least;
using ordering::Order;

// Rows that were multiplied as they are.
struct NoBias {
    __aicore__ inline void Init(const Tensors&, const __gm__ SlotGradTiling*, TPipe*) {}
    __aicore__ inline void Load(int64_t, int64_t) {}
    __aicore__ inline void AddTo(const LocalTensor<float>&, int64_t, int64_t, int64_t) {}
};

// Weights in the order of the slots, which lie token by token, and their gradients likewise.
template <typename W>
class ListedWeights : public row_sum::SlotWeights<W> {
public:
    static constexpr int64_t PITCH = 1;  // elements in UB from one gradient to the next

    __aicore__ inline void Init(const Tensors& tensors, const __gm__ SlotGradTiling* tiling,
                                TPipe* pipe) {
        topK_ = tiling->topK;
        row_sum::SlotWeights<W>::Init(tensors.weights, tiling->slotsPerBatch, pipe);
    }

    __aicore__ inline int64_t TokenOf(int64_t slot) { return slot / topK_; }

    __aicore__ inline void CopyOut(const GlobalTensor<W>& to, const LocalTensor<W>& from,
                                   int64_t slot, int64_t slots) {
        const uint32_t bytes = static_cast<uint32_t>(slots * sizeof(W));
        AscendC::DataCopyPad(to[slot], from, DataCopyExtParams{1, bytes, 0, 0, 0});
    }

private:
    int64_t topK_;
};

// T: of the rows; W: of the weights.
template <typename T, typename W, typename Named = row_sum::NumberedRows, typename Bias = NoBias,
          typename Weights = ListedWeights<W>>
class SlotGrad {
public:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ SlotGradTiling* tiling,
                                TPipe* pipe, Named named = {}, Weights weights = {}) {
        named_ = named;
        weights_ = weights;
        topK_ = tiling->topK;
        hidden_ = tiling->hidden;
        sourceRows_ = tiling->rows;
        slotsPerBatch_ = tiling->slotsPerBatch;
        slotsPerPart_ = tiling->slotsPerPart;
        tileColumns_ = tiling->tileColumns;
        firstSlot_ = AscendC::GetBlockIdx() * tiling->slotsPerCore;
        endSlot_ = Least(firstSlot_ + tiling->slotsPerCore, tiling->slots);

        rows_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.rows));
        grads_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.grads));
        indices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.indices));
        rowGrads_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.rowGrads));
        weightGrads_.SetGlobalBuffer(reinterpret_cast<__gm__ W*>(tensors.weightGrads));

        const uint32_t columns = static_cast<uint32_t>(RoundedToBlocks(tileColumns_));
        const uint32_t slots = static_cast<uint32_t>(slotsPerBatch_);
        pipe->InitBuffer(gradQueue_, BUFFERS, columns * sizeof(T));
        pipe->InitBuffer(rowQueue_, BUFFERS, columns * sizeof(T));
        pipe->InitBuffer(rowGradQueue_, BUFFERS, columns * sizeof(T));
        if constexpr (!IS_WIDE) {
            pipe->InitBuffer(gradBuffer_, columns * sizeof(float));
            pipe->InitBuffer(productBuffer_, columns * sizeof(float));
        }
        pipe->InitBuffer(laneBuffer_, static_cast<uint32_t>(slotsPerPart_ * LANES * sizeof(float)));
        pipe->InitBuffer(indexBuffer_, slots * sizeof(int32_t));
        weights_.Init(tensors, tiling, pipe);
        pipe->InitBuffer(weightGradQueue_, 1, slots * PITCH * sizeof(W));
        if constexpr (!ARE_SUMS_RESULTS) {
            pipe->InitBuffer(sumBuffer_, slots * PITCH * sizeof(float));
        }
        bias_.Init(tensors, tiling, pipe);
    }

    __aicore__ inline void Process() {
        for (int64_t slot = firstSlot_; slot < endSlot_; slot += slotsPerBatch_) {
            const int64_t slots = Least(slotsPerBatch_, endSlot_ - slot);
            LoadSlots(slot, slots);
            BeginSums();
            for (int64_t place = 0; place < slots;) {
                const int64_t token = weights_.TokenOf(slot + place);
                const int64_t ofToken = topK_ - (slot + place) % topK_;
                const int64_t part = Least(Least(slotsPerPart_, ofToken), slots - place);
                DoPart(token, place, part);
                place += part;
            }
            StoreSums(slot, slots);
        }
    }

private:
    static constexpr bool IS_WIDE = std::is_same_v<T, float>;
    static constexpr bool ARE_SUMS_RESULTS = std::is_same_v<W, float>;
    static constexpr int64_t PITCH = Weights::PITCH;
    static constexpr int32_t LANES = 64;         // fp32 values of one repeat
    static constexpr uint8_t REPEAT_BLOCKS = 8;  // of 32 bytes

    __aicore__ inline static int64_t RoundedToBlocks(int64_t columns) {
        return slot_grad::RoundedToBlocks<T>(columns);
    }

    __aicore__ inline void LoadSlots(int64_t slot, int64_t slots) {
        const uint32_t bytes = static_cast<uint32_t>(slots * sizeof(int32_t));
        LocalTensor<int32_t> indices = indexBuffer_.template Get<int32_t>();
        Order<HardEvent::S_MTE2>();
        AscendC::DataCopyPad(indices, indices_[slot], DataCopyExtParams{1, bytes, 0, 0, 0},
                             DataCopyPadExtParams<int32_t>{});
        weights_.Load(slot, slots);
        bias_.Load(slot, slots);
        Order<HardEvent::MTE2_S>();
    }

    // Slots of one token, whose names begin at `place` of the batch.
    __aicore__ inline void DoPart(int64_t token, int64_t place, int64_t slots) {
        LocalTensor<float> lanes = laneBuffer_.template Get<float>();
        AscendC::Duplicate(lanes, 0.0f, static_cast<int32_t>(slots * LANES));
        AscendC::PipeBarrier<PIPE_V>();
        const bool isWanted = IsAnyKept(place, slots);
        for (int64_t column = 0; isWanted && column < hidden_; column += tileColumns_) {
            DoTile(token, place, slots, column, Least(tileColumns_, hidden_ - column));
        }
        AscendC::WholeReduceSum(sums_[place * PITCH], lanes, LANES, static_cast<int32_t>(slots),
                                static_cast<int32_t>(PITCH), 1, REPEAT_BLOCKS);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void DoTile(int64_t token, int64_t place, int64_t slots, int64_t column,
                                  int64_t columns) {
        LocalTensor<T> copied = CopyIn(gradQueue_, grads_[token * hidden_ + column], columns);
        LocalTensor<float> grad = Widened(copied, gradBuffer_, columns);
        for (int64_t i = 0; i < slots; ++i) {
            const int64_t row = RowAt(place + i);
            if (IsKept(row)) {
                WriteRowGrad(grad, weights_.At(place + i), row * hidden_ + column, columns);
                AddProducts(grad, place + i, i, row, column, columns);
            }
        }
        gradQueue_.FreeTensor(copied);
    }

    __aicore__ inline void WriteRowGrad(const LocalTensor<float>& grad, float weight,
                                        int64_t element, int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        LocalTensor<T> result = rowGradQueue_.template AllocTensor<T>();
        if constexpr (IS_WIDE) {
            AscendC::Muls(result, grad, weight, count);
        } else {
            LocalTensor<float> product = productBuffer_.template Get<float>();
            AscendC::Muls(product, grad, weight, count);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(result, product, RoundMode::CAST_RINT, count);
        }
        AscendC::PipeBarrier<PIPE_V>();
        rowGradQueue_.EnQue(result);
        result = rowGradQueue_.template DeQue<T>();
        const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
        AscendC::DataCopyPad(rowGrads_[element], result, DataCopyExtParams{1, bytes, 0, 0, 0});
        rowGradQueue_.FreeTensor(result);
    }

    // Step 1 for the columns of a tile.
    __aicore__ inline void AddProducts(const LocalTensor<float>& grad, int64_t place,
                                       int64_t slotOfPart, int64_t row, int64_t column,
                                       int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        LocalTensor<T> copied = CopyIn(rowQueue_, rows_[row * hidden_ + column], columns);
        LocalTensor<float> products = Widened(copied, productBuffer_, columns);
        bias_.AddTo(products, place, column, columns);
        AscendC::Mul(products, products, grad, count);
        AscendC::PipeBarrier<PIPE_V>();
        LocalTensor<float> lanes = laneBuffer_.template Get<float>()[slotOfPart * LANES];
        const int64_t repeats = columns / LANES;
        const int64_t rest = columns % LANES;
        if (repeats > 0) {
            // All repeats are added to the same lanes, one after the other.
            AscendC::Add(lanes, lanes, products, static_cast<uint64_t>(LANES),
                         static_cast<uint8_t>(repeats), {1, 1, 1, 0, 0, REPEAT_BLOCKS});
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (rest > 0) {
            LocalTensor<float> part = lanes[column % LANES];
            AscendC::Add(part, part, products[repeats * LANES],
                         static_cast<int32_t>(RoundedToBlocks(rest)));
            AscendC::PipeBarrier<PIPE_V>();
        }
        rowQueue_.FreeTensor(copied);
    }

    // Where the sums of a new batch are. In fp32 they are the results themselves.
    __aicore__ inline void BeginSums() {
        if constexpr (ARE_SUMS_RESULTS) {
            sums_ = weightGradQueue_.template AllocTensor<float>();
        } else {
            sums_ = sumBuffer_.template Get<float>();
        }
    }

    __aicore__ inline void StoreSums(int64_t slot, int64_t slots) {
        if constexpr (ARE_SUMS_RESULTS) {
            weightGradQueue_.EnQue(sums_);
            LocalTensor<W> results = weightGradQueue_.template DeQue<W>();
            weights_.CopyOut(weightGrads_, results, slot, slots);
            weightGradQueue_.FreeTensor(results);
        } else {
            LocalTensor<W> rounded = weightGradQueue_.template AllocTensor<W>();
            // The next sums are written behind the barrier that follows their lanes' zeros.
            AscendC::Cast(rounded, sums_, RoundMode::CAST_RINT,
                          static_cast<int32_t>(slots * PITCH));
            weightGradQueue_.EnQue(rounded);
            LocalTensor<W> results = weightGradQueue_.template DeQue<W>();
            weights_.CopyOut(weightGrads_, results, slot, slots);
            weightGradQueue_.FreeTensor(results);
        }
    }

    __aicore__ inline int64_t RowAt(int64_t place) {
        const int64_t index =
            indexBuffer_.template Get<int32_t>().GetValue(static_cast<uint32_t>(place));
        return named_.RowOf(index);
    }

    __aicore__ inline bool IsKept(int64_t row) const { return row < sourceRows_; }

    // The gradient of a token that was dropped need not be read.
    __aicore__ inline bool IsAnyKept(int64_t place, int64_t slots) {
        for (int64_t i = 0; i < slots; ++i) {
            if (IsKept(RowAt(place + i))) {
                return true;
            }
        }
        return false;
    }

    GlobalTensor<T> rows_;
    GlobalTensor<T> grads_;
    GlobalTensor<int32_t> indices_;
    GlobalTensor<T> rowGrads_;
    GlobalTensor<W> weightGrads_;
    TQue<QuePosition::VECIN, BUFFERS> gradQueue_;
    TQue<QuePosition::VECIN, BUFFERS> rowQueue_;
    TQue<QuePosition::VECOUT, BUFFERS> rowGradQueue_;
    TQue<QuePosition::VECOUT, 1> weightGradQueue_;
    TBuf<TPosition::VECCALC> gradBuffer_;
    TBuf<TPosition::VECCALC> productBuffer_;
    TBuf<TPosition::VECCALC> laneBuffer_;
    TBuf<TPosition::VECCALC> indexBuffer_;
    TBuf<TPosition::VECCALC> sumBuffer_;
    Weights weights_;
    Named named_;
    Bias bias_;
    LocalTensor<float> sums_;

    int64_t topK_;
    int64_t hidden_;
    int64_t sourceRows_;
    int64_t slotsPerBatch_;
    int64_t slotsPerPart_;
    int64_t tileColumns_;
    int64_t firstSlot_;
    int64_t endSlot_;
};

}  // namespace slot_grad

#endif
