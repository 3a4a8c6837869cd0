// A token's row as int8: with one scale and offset for all rows (static), or with a scale of the
// row that its greatest magnitude gives (dynamic).
//
// Each step rounds to fp32, or to half. The integer is the nearest one, and int8 saturates. A row
// of zeros has the scale 0 and is not divided.
#ifndef ROW_QUANTISE_KERNEL_H
#define ROW_QUANTISE_KERNEL_H

#include "kernel_operator.h"
#include "routed_rows_kernel.h"
#include "routed_rows_tiling.h"

namespace routed_rows {

using AscendC::RoundMode;
using AscendC::TQue;

constexpr float LARGEST_INTEGER = 127.0f;

// In which format a row is computed, and which of two nearest integers it takes.
enum class Way {
    STATIC,       // fp32, the even integer
    STATIC_HALF,  // half, the even integer: x, scale and offset are rounded to half first
    DYNAMIC,      // fp32, the even integer
    DYNAMIC_AWAY  // fp32, the integer away from zero
};

// T is the type of x.
template <typename T, Way WAY>
class Quantiser {
public:
    __aicore__ inline void Init(const Tensors& tensors, RowsTiling* tiling, TPipe* pipe) {
        hidden_ = tiling->slots.hidden;
        tileColumns_ = tiling->slots.tileColumns;
        factorRows_ = IS_DYNAMIC ? tiling->scaleRows : 0;
        zeros_.Init(tensors, IS_DYNAMIC, hidden_, tiling, pipe);
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x));
        scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.scale));
        expandedX_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(tensors.expandedX));
        expandedScale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.expandedScale));
        const int64_t columns = tileColumns_ > 0 ? tileColumns_ : 1;
        pipe->InitBuffer(xQueue_, 1, Bytes<T>(columns));
        pipe->InitBuffer(factorQueue_, 1, Bytes<float>(columns));
        pipe->InitBuffer(valueBuffer_, Bytes<float>(columns));
        pipe->InitBuffer(workBuffer_, Bytes<float>(columns));
        pipe->InitBuffer(outQueue_, 1, Bytes<int8_t>(columns));
        pipe->InitBuffer(numberBuffer_, BLOCK_BYTES);
        pipe->InitBuffer(scaleBuffer_, BLOCK_BYTES);
        if (!IS_DYNAMIC) {
            GlobalTensor<float> offset;
            offset.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.offset));
            factor_ = NumberOf(scale_);
            offset_ = NumberOf(offset);
        }
    }

    __aicore__ inline void Write(int64_t row, int64_t token, int64_t expert) {
        float scale = 0.0f;
        if (IS_DYNAMIC) {
            scale = LargestOf(token, expert) / LARGEST_INTEGER;
            StoreScale(row, scale);
        }
        for (int64_t column = 0; column < hidden_; column += tileColumns_) {
            const int64_t columns = Least(tileColumns_, hidden_ - column);
            LoadValues(token, expert, column, columns);
            const int32_t count = static_cast<int32_t>(columns);
            const LocalTensor<float> values = valueBuffer_.Get<float>();
            const LocalTensor<float> work = workBuffer_.Get<float>();
            if (WAY == Way::STATIC) {
                AscendC::Muls(values, values, factor_, count);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Adds(values, values, offset_, count);
            } else if (scale > 0.0f) {
                AscendC::Duplicate(work, scale, count);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Div(values, values, work, count);
            }
            AscendC::PipeBarrier<PIPE_V>();
            StoreIntegers(row * hidden_ + column, static_cast<uint32_t>(columns));
        }
    }

    __aicore__ inline void WriteZeros(int64_t row) { zeros_.Write(row); }

private:
    static constexpr bool IS_DYNAMIC = WAY == Way::DYNAMIC || WAY == Way::DYNAMIC_AWAY;
    // Half has the integers already, or is rounded to them.
    static constexpr RoundMode LAST_ROUNDING = WAY == Way::STATIC_HALF    ? RoundMode::CAST_RINT
                                               : WAY == Way::DYNAMIC_AWAY ? RoundMode::CAST_ROUND
                                                                          : RoundMode::CAST_TRUNC;

    template <typename Element>
    static __aicore__ inline uint32_t Bytes(int64_t count) {
        return static_cast<uint32_t>(ordering::RoundUp(count * sizeof(Element), BLOCK_BYTES));
    }

    template <typename Element, typename Queue>
    static __aicore__ inline LocalTensor<Element> Load(Queue& queue,
                                                       const GlobalTensor<Element>& from,
                                                       int64_t count) {
        const LocalTensor<Element> tile = queue.template AllocTensor<Element>();
        AscendC::DataCopyPad(
            tile, from,
            DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(Element)), 0, 0, 0},
            DataCopyPadExtParams<Element>{});
        queue.EnQue(tile);
        return queue.template DeQue<Element>();
    }

    __aicore__ inline float NumberOf(const GlobalTensor<float>& from) {
        const LocalTensor<float> number = numberBuffer_.Get<float>();
        AscendC::DataCopyPad(number, from, DataCopyExtParams{1, sizeof(float), 0, 0, 0},
                             DataCopyPadExtParams<float>{});
        Order<HardEvent::MTE2_S>();
        const float value = number.GetValue(0);
        Order<HardEvent::S_MTE2>();
        return value;
    }

    // Columns of a token in fp32, times those of its expert's factors if there are any.
    __aicore__ inline void LoadValues(int64_t token, int64_t expert, int64_t column,
                                      int64_t columns) {
        const int32_t count = static_cast<int32_t>(columns);
        const LocalTensor<float> values = valueBuffer_.Get<float>();
        LocalTensor<T> tile = Load(xQueue_, x_[token * hidden_ + column], columns);
        if constexpr (sizeof(T) == sizeof(float)) {
            AscendC::Muls(values, tile, 1.0f, count);
        } else {
            AscendC::Cast(values, tile, RoundMode::CAST_NONE, static_cast<uint32_t>(count));
        }
        AscendC::PipeBarrier<PIPE_V>();
        xQueue_.FreeTensor(tile);
        if (factorRows_ > 0) {
            const int64_t row = factorRows_ > 1 ? expert : 0;
            LocalTensor<float> factors =
                Load(factorQueue_, scale_[row * hidden_ + column], columns);
            AscendC::Mul(values, values, factors, count);
            AscendC::PipeBarrier<PIPE_V>();
            factorQueue_.FreeTensor(factors);
        }
    }

    __aicore__ inline float LargestOf(int64_t token, int64_t expert) {
        float largest = 0.0f;
        const LocalTensor<float> number = numberBuffer_.Get<float>();
        const LocalTensor<float> work = workBuffer_.Get<float>();
        for (int64_t column = 0; column < hidden_; column += tileColumns_) {
            const int64_t columns = Least(tileColumns_, hidden_ - column);
            const int32_t count = static_cast<int32_t>(columns);
            LoadValues(token, expert, column, columns);
            AscendC::Abs(work, valueBuffer_.Get<float>(), count);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::ReduceMax(number, work, work, count);
            Order<HardEvent::V_S>();
            const float ofTile = number.GetValue(0);
            largest = ofTile > largest ? ofTile : largest;
            Order<HardEvent::S_V>();
        }
        return largest;
    }

    __aicore__ inline void StoreScale(int64_t row, float scale) {
        const LocalTensor<float> stored = scaleBuffer_.Get<float>();
        Order<HardEvent::MTE3_S>();
        stored.SetValue(0, scale);
        Order<HardEvent::S_MTE3>();
        AscendC::DataCopyPad(expandedScale_[row], stored,
                             DataCopyExtParams{1, sizeof(float), 0, 0, 0});
    }

    // The values as half, which int8 is rounded from.
    __aicore__ inline LocalTensor<half> Halves(uint32_t columns) {
        const int32_t count = static_cast<int32_t>(columns);
        const LocalTensor<float> values = valueBuffer_.Get<float>();
        if (WAY == Way::STATIC_HALF) {
            const LocalTensor<half> halves = workBuffer_.Get<half>();
            AscendC::Cast(halves, values, RoundMode::CAST_RINT, columns);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(halves, halves, static_cast<half>(factor_), count);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(halves, halves, static_cast<half>(offset_), count);
            return halves;
        }
        if (WAY == Way::DYNAMIC_AWAY) {
            // Half has every k + 1/2 below 1024, so that none of the values gets to its other side.
            const LocalTensor<half> halves = workBuffer_.Get<half>();
            AscendC::Cast(halves, values, RoundMode::CAST_TRUNC, columns);
            return halves;
        }
        // Half has the integers up to 2048, and larger ones saturate.
        const LocalTensor<int32_t> integers = workBuffer_.Get<int32_t>();
        const LocalTensor<half> halves = valueBuffer_.Get<half>();
        AscendC::Cast(integers, values, RoundMode::CAST_RINT, columns);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::SetDeqScale(static_cast<half>(1.0f));
        AscendC::Cast(halves, integers, RoundMode::CAST_NONE, columns);
        return halves;
    }

    // The values, rounded, from element `first` of the output on.
    __aicore__ inline void StoreIntegers(int64_t first, uint32_t columns) {
        const LocalTensor<half> halves = Halves(columns);
        AscendC::PipeBarrier<PIPE_V>();
        LocalTensor<int8_t> out = outQueue_.template AllocTensor<int8_t>();
        AscendC::Cast(out, halves, LAST_ROUNDING, columns);
        AscendC::PipeBarrier<PIPE_V>();
        outQueue_.EnQue(out);
        out = outQueue_.template DeQue<int8_t>();
        AscendC::DataCopyPad(expandedX_[first], out, DataCopyExtParams{1, columns, 0, 0, 0});
        outQueue_.FreeTensor(out);
    }

    Zeros zeros_;
    GlobalTensor<T> x_;
    GlobalTensor<float> scale_;
    GlobalTensor<int8_t> expandedX_;
    GlobalTensor<float> expandedScale_;
    TQue<TPosition::VECIN, 1> xQueue_;
    TQue<TPosition::VECIN, 1> factorQueue_;
    TQue<TPosition::VECOUT, 1> outQueue_;
    TBuf<TPosition::VECCALC> valueBuffer_;  // y, then its quotients, or the integers as half
    TBuf<TPosition::VECCALC> workBuffer_;   // magnitudes, the divisor, integers, or y as half
    TBuf<TPosition::VECCALC> numberBuffer_;
    TBuf<TPosition::VECCALC> scaleBuffer_;

    int64_t hidden_;
    int64_t tileColumns_;
    int64_t factorRows_;
    float factor_ = 0.0f;
    float offset_ = 0.0f;
};

}  // namespace routed_rows

#endif
