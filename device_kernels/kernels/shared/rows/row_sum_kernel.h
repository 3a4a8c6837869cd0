// Rows of a table in global memory, added in fp32 one after the other and rounded once.
#ifndef ROW_SUM_KERNEL_H
#define ROW_SUM_KERNEL_H

#include "kernel_operator.h"

#include <type_traits>

#include "row_share_kernel.h"
#include "row_sum_tiling.h"

namespace row_sum {

// The factor of rows that are added as they are.
struct One {};

// A factor whose product is rounded to the type of the rows, of 16 bits, before it is added.
struct RoundedBy {
    float factor;
};

// Two rows, each from its first column in the tile on, that are one term: their sum. The first may
// be a blend.
template <typename T, typename First = AscendC::GlobalTensor<T>>
struct Pair {
    First first;
    AscendC::GlobalTensor<T> second;
};

// Four rows that are one term: a * b + c * d, column by column, each operation rounded to fp32.
template <typename T>
struct Blend {
    AscendC::GlobalTensor<T> a;
    AscendC::GlobalTensor<T> b;
    AscendC::GlobalTensor<T> c;
    AscendC::GlobalTensor<T> d;
};

// One tile of one output row at a time: StartAtZero or StartAtRow, then AddRow for every further
// row, then Store. A row may have a factor: its product is rounded to fp32 before it is added.
// StartAt and Add take rows of other tables, too, where IN_PAIRS pairs of rows: their sum is
// rounded to fp32 before it is multiplied, and where IN_BLENDS blends beside pairs. Elements of a
// tile past its columns never leave UB.
template <typename T, bool IN_PAIRS = false, bool IN_BLENDS = false>
class RowSum {
public:
    __aicore__ inline void Init(GM_ADDR source, GM_ADDR output, const __gm__ RowSumTiling* tiling,
                                AscendC::TPipe* pipe) {
        hidden_ = tiling->hidden;
        source_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(source));
        output_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(output));
        const uint32_t elements = static_cast<uint32_t>(RoundedToBlocks(tiling->tileColumns));
        pipe->InitBuffer(rowQueue_, static_cast<uint8_t>(tiling->inputBuffers),
                         elements * sizeof(T));
        pipe->InitBuffer(resultQueue_, 1, elements * sizeof(T));
        if constexpr (!IS_SUM) {
            pipe->InitBuffer(sumBuffer_, elements * sizeof(Sum));
            pipe->InitBuffer(widenedBuffer_, elements * sizeof(Sum));
        }
        if constexpr (!IS_SUM && IN_PAIRS) {
            pipe->InitBuffer(secondBuffer_, elements * sizeof(Sum));
        }
        if constexpr (IN_BLENDS) {
            pipe->InitBuffer(blendBuffer_, elements * sizeof(Sum));
        }
    }

    __aicore__ inline void StartAtZero(int64_t columns) {
        const int32_t count = Begin(columns);
        AscendC::Duplicate(sum_, static_cast<Sum>(0), count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    template <typename Factor = One>
    __aicore__ inline void StartAtRow(int64_t row, int64_t column, int64_t columns,
                                      Factor factor = {}) {
        StartAt(RowOf(row, column), columns, factor);
    }

    template <typename Factor = One>
    __aicore__ inline void AddRow(int64_t row, int64_t column, int64_t columns,
                                  Factor factor = {}) {
        Add(RowOf(row, column), columns, factor);
    }

    // The columns of a row of the sum's own table from `column` on.
    __aicore__ inline AscendC::GlobalTensor<T> RowOf(int64_t row, int64_t column) {
        return source_[row * hidden_ + column];
    }

    // Rows: GlobalTensor<T>, Blend<T>, or a Pair of one with a row.
    template <typename Rows, typename Factor = One>
    __aicore__ inline void StartAt(const Rows& rows, int64_t columns, Factor factor = {}) {
        const int32_t count = Begin(columns);
        if constexpr (IS_SUM) {
            AscendC::LocalTensor<T> values = Values(rows, columns);
            AscendC::Muls(sum_, values, ValueOf(factor), count);
            AscendC::PipeBarrier<PIPE_V>();
            rowQueue_.FreeTensor(values);
        } else {
            Widen(sum_, rows, columns);
            Multiply(sum_, factor, count);
        }
    }

    template <typename Rows, typename Factor = One>
    __aicore__ inline void Add(const Rows& rows, int64_t columns, Factor factor = {}) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        if constexpr (IS_SUM) {
            AscendC::LocalTensor<T> values = Values(rows, columns);
            Multiply(values, factor, count);
            AscendC::Add(sum_, sum_, values, count);
            AscendC::PipeBarrier<PIPE_V>();
            rowQueue_.FreeTensor(values);
        } else {
            AscendC::LocalTensor<Sum> widened = widenedBuffer_.template Get<Sum>();
            WidenTimes(widened, rows, columns, factor);
            AscendC::Add(sum_, sum_, widened, count);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void Store(int64_t token, int64_t column, int64_t columns) {
        if constexpr (IS_SUM) {
            resultQueue_.EnQue(sum_);
            AscendC::LocalTensor<T> result = resultQueue_.template DeQue<T>();
            CopyOut(result, token, column, columns);
        } else {
            const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
            AscendC::LocalTensor<T> rounded = resultQueue_.template AllocTensor<T>();
            Round(rounded, sum_, count);
            resultQueue_.EnQue(rounded);
            AscendC::LocalTensor<T> result = resultQueue_.template DeQue<T>();
            CopyOut(result, token, column, columns);
        }
    }

private:
    using Sum = float;
    static constexpr bool IS_SUM = std::is_same_v<T, Sum>;
    static constexpr int32_t MOST_BUFFERS = 4;
    static constexpr int64_t BLOCK_BYTES = 32;

    // Elements of T that `columns` columns occupy in UB, where copies move blocks of 32 bytes.
    __aicore__ inline static int64_t RoundedToBlocks(int64_t columns) {
        constexpr int64_t granule = BLOCK_BYTES / sizeof(T);
        return (columns + granule - 1) / granule * granule;
    }

    // Where the sum of a new tile is; returns its elements. In fp32 it is the result itself.
    __aicore__ inline int32_t Begin(int64_t columns) {
        if constexpr (IS_SUM) {
            sum_ = resultQueue_.template AllocTensor<Sum>();
        } else {
            sum_ = sumBuffer_.template Get<Sum>();
        }
        return static_cast<int32_t>(RoundedToBlocks(columns));
    }

    // A product with one changes no value, and keeps the sign of a zero.
    __aicore__ inline static Sum ValueOf(One) { return 1; }
    __aicore__ inline static Sum ValueOf(Sum factor) { return factor; }

    __aicore__ inline static void Multiply(const AscendC::LocalTensor<Sum>&, One, int32_t) {}
    __aicore__ inline static void Multiply(const AscendC::LocalTensor<Sum>& values, Sum factor,
                                           int32_t count) {
        AscendC::Muls(values, values, factor, count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline static void Round(const AscendC::LocalTensor<T>& rounded,
                                        const AscendC::LocalTensor<Sum>& wide, int32_t count) {
        AscendC::Cast(rounded, wide, AscendC::RoundMode::CAST_RINT, count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    // A term in fp32, in a buffer of the queue.
    __aicore__ inline AscendC::LocalTensor<T> Values(const AscendC::GlobalTensor<T>& row,
                                                     int64_t columns) {
        return CopyIn(row, columns);
    }
    template <typename First>
    __aicore__ inline AscendC::LocalTensor<T> Values(const Pair<T, First>& rows, int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<T> values = Values(rows.first, columns);
        AscendC::LocalTensor<T> second = CopyIn(rows.second, columns);
        AscendC::Add(values, values, second, count);
        AscendC::PipeBarrier<PIPE_V>();
        rowQueue_.FreeTensor(second);
        return values;
    }

    __aicore__ inline AscendC::LocalTensor<T> Values(const Blend<T>& rows, int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<Sum> blend = blendBuffer_.template Get<Sum>();
        AscendC::LocalTensor<T> values = CopyIn(rows.a, columns);
        Product(blend, values, rows.b, columns);
        rowQueue_.FreeTensor(values);
        values = CopyIn(rows.c, columns);
        Product(values, values, rows.d, columns);
        AscendC::Add(values, blend, values, count);
        AscendC::PipeBarrier<PIPE_V>();
        return values;
    }
    __aicore__ inline void Product(const AscendC::LocalTensor<T>& product,
                                   const AscendC::LocalTensor<T>& values,
                                   const AscendC::GlobalTensor<T>& factors, int64_t columns) {
        AscendC::LocalTensor<T> others = CopyIn(factors, columns);
        AscendC::Mul(product, values, others, static_cast<int32_t>(RoundedToBlocks(columns)));
        AscendC::PipeBarrier<PIPE_V>();
        rowQueue_.FreeTensor(others);
    }

    // A term of 16 bits, widened, times its factor.
    template <typename Rows, typename Factor>
    __aicore__ inline void WidenTimes(const AscendC::LocalTensor<Sum>& wide, const Rows& rows,
                                      int64_t columns, Factor factor) {
        Widen(wide, rows, columns);
        Multiply(wide, factor, static_cast<int32_t>(RoundedToBlocks(columns)));
    }
    __aicore__ inline void WidenTimes(const AscendC::LocalTensor<Sum>& wide,
                                      const AscendC::GlobalTensor<T>& row, int64_t columns,
                                      RoundedBy by) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<T> values = CopyIn(row, columns);
        AscendC::Cast(wide, values, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        Multiply(wide, by.factor, count);
        Round(values, wide, count);
        AscendC::Cast(wide, values, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        rowQueue_.FreeTensor(values);
    }

    // A term of 16 bits, widened.
    __aicore__ inline void Widen(const AscendC::LocalTensor<Sum>& wide,
                                 const AscendC::GlobalTensor<T>& row, int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<T> values = CopyIn(row, columns);
        AscendC::Cast(wide, values, AscendC::RoundMode::CAST_NONE, count);
        AscendC::PipeBarrier<PIPE_V>();
        rowQueue_.FreeTensor(values);
    }
    template <typename First>
    __aicore__ inline void Widen(const AscendC::LocalTensor<Sum>& wide, const Pair<T, First>& rows,
                                 int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<Sum> second = secondBuffer_.template Get<Sum>();
        Widen(wide, rows.first, columns);
        Widen(second, rows.second, columns);
        AscendC::Add(wide, wide, second, count);
        AscendC::PipeBarrier<PIPE_V>();
    }
    __aicore__ inline void Widen(const AscendC::LocalTensor<Sum>& wide, const Blend<T>& rows,
                                 int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<Sum> blend = blendBuffer_.template Get<Sum>();
        WidenProduct(wide, rows.a, rows.b, columns);
        WidenProduct(blend, rows.c, rows.d, columns);
        AscendC::Add(wide, wide, blend, count);
        AscendC::PipeBarrier<PIPE_V>();
    }
    __aicore__ inline void WidenProduct(const AscendC::LocalTensor<Sum>& wide,
                                        const AscendC::GlobalTensor<T>& row,
                                        const AscendC::GlobalTensor<T>& other, int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        AscendC::LocalTensor<Sum> second = secondBuffer_.template Get<Sum>();
        Widen(wide, row, columns);
        Widen(second, other, columns);
        AscendC::Mul(wide, wide, second, count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline AscendC::LocalTensor<T> CopyIn(const AscendC::GlobalTensor<T>& row,
                                                     int64_t columns) {
        const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
        AscendC::DataCopyPadExtParams<T> zeros;
        zeros.isPad = true;
        zeros.rightPadding = static_cast<uint8_t>(RoundedToBlocks(columns) - columns);
        AscendC::LocalTensor<T> values = rowQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(values, row, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0}, zeros);
        rowQueue_.EnQue(values);
        return rowQueue_.template DeQue<T>();
    }

    __aicore__ inline void CopyOut(AscendC::LocalTensor<T>& result, int64_t token, int64_t column,
                                   int64_t columns) {
        const uint32_t stored = static_cast<uint32_t>(columns * sizeof(T));
        AscendC::DataCopyPad(output_[token * hidden_ + column], result,
                             AscendC::DataCopyExtParams{1, stored, 0, 0, 0});
        resultQueue_.FreeTensor(result);
    }

    AscendC::GlobalTensor<T> source_;
    AscendC::GlobalTensor<T> output_;
    AscendC::TQue<AscendC::QuePosition::VECIN, MOST_BUFFERS> rowQueue_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> resultQueue_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> widenedBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> secondBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> blendBuffer_;
    AscendC::LocalTensor<Sum> sum_;
    int64_t hidden_;
};

}  // namespace row_sum

#endif
