// A softmax with the k best experts for rows of at most 32 experts, as many at a time as fit.
//
// Each row has 32 lanes, which one repeat of Sort32 sorts. A row takes half a repeat of other
// instructions, so that their repeats are rows, too.
#ifndef GATING_BATCH_KERNEL_H
#define GATING_BATCH_KERNEL_H

#include "kernel_operator.h"
#include "gating_steps_kernel.h"
#include "gating_tiling.h"

namespace gating {

template <typename T>
class BatchGate {
public:
    // `choosesFirst`: softmax is of the k best experts alone.
    __aicore__ inline void Init(const Tensors& tensors, bool choosesFirst,
                                const __gm__ GatingTiling* tiling, TPipe* pipe) {
        rows_ = tiling->rows;
        experts_ = tiling->experts;
        k_ = tiling->k;
        batch_ = tiling->lanesAtOnce / SORTED_KEYS;
        choosesFirst_ = choosesFirst;
        call_.Init(tensors);
        ub_.Init(tiling->lanesAtOnce, pipe);
    }

    __aicore__ inline void Process() {
        const auto share = row_sum::ShareOf(rows_, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        for (int64_t row = share.first; row < share.end; row += batch_) {
            const int64_t count = Least(batch_, share.end - row);
            Load(row, count);
            Number(count);
            if (choosesFirst_) {
                ReplaceNan(ub_.keys, Infinity(), ub_.work, count * SORTED_KEYS);
                Choose(count);
                Softmax(k_, count);
            } else {
                ChooseShares(row, count);
            }
            StoreRows(row, count);
        }
    }

private:
    static constexpr uint8_t KEY_BLOCKS = 4;  // of a row, 32 bytes each
    static constexpr int64_t SPREAD = 8;      // elements that a repeat of Brcb takes

    // Rows become keys, filled up behind their last experts. Lanes of no row are filled, too:
    // Compare may take some.
    __aicore__ inline void Load(int64_t row, int64_t rows) {
        const LocalTensor<T> raw = ub_.pairs.template ReinterpretCast<T>();
        const DataCopyExtParams copy{static_cast<uint16_t>(rows),
                                     static_cast<uint32_t>(experts_ * sizeof(T)), 0,
                                     static_cast<uint32_t>(Gap<T>(experts_, SORTED_KEYS)), 0};
        Order<HardEvent::V_MTE2>();
        AscendC::DataCopyPad(raw, call_.x[row * experts_], copy, DataCopyPadExtParams<T>{});
        Fill(ub_.keys, -Infinity(), batch_ * SORTED_KEYS);
        Order<HardEvent::MTE2_V>();
        const auto repeats = static_cast<uint8_t>(rows);
        constexpr uint8_t rawBlocks = SORTED_KEYS * sizeof(T) / BLOCK_BYTES;
        const AscendC::UnaryRepeatParams strides{1, 1, KEY_BLOCKS, rawBlocks};
        if constexpr (sizeof(T) == sizeof(float)) {
            AscendC::Muls(ub_.keys, raw, 1.0f, Mask(experts_), repeats, strides);
        } else {
            AscendC::Cast(ub_.keys, raw, RoundMode::CAST_NONE, Mask(experts_), repeats, strides);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline static uint64_t Mask(int64_t lanes) { return static_cast<uint64_t>(lanes); }

    // The experts of each row.
    __aicore__ inline void Number(int64_t rows) {
        // The scalar unit begins a progression.
        Order<HardEvent::V_S>();
        AscendC::ArithProgression(ub_.numbers, 0, 1, static_cast<int32_t>(SORTED_KEYS));
        AscendC::PipeBarrier<PIPE_V>();
        if (rows > 1) {
            AscendC::Copy(ub_.numbers[SORTED_KEYS], ub_.numbers, Mask(SORTED_KEYS),
                          static_cast<uint8_t>(rows - 1), {1, 1, KEY_BLOCKS, 0});
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    // The best keys of each row are its greatest shares of the sum. A sum that is no number makes
    // them so again, and another one leaves them as they are.
    __aicore__ inline void ChooseShares(int64_t row, int64_t rows) {
        Softmax(experts_, rows);
        if (call_.hasResult) {
            Store(call_.softmaxResult, row * experts_, ub_.keys, experts_, rows,
                  Gap<float>(experts_, SORTED_KEYS));
        }
        ReplaceNan(ub_.keys, 0.0f, ub_.pairs, rows * SORTED_KEYS);
        Choose(rows);
        const LocalTensor<float> sums = ub_.work;
        AscendC::Sub(sums, sums, sums, static_cast<int32_t>(rows * BLOCK_FLOATS));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(ub_.keys, ub_.keys, sums, Mask(k_), static_cast<uint8_t>(rows), ByRow());
        AscendC::PipeBarrier<PIPE_V>();
    }

    // Of the first lanes of each row. The sums are left in `work`, a block for each row.
    __aicore__ inline void Softmax(int64_t lanes, int64_t rows) {
        const auto repeats = static_cast<uint8_t>(rows);
        const LocalTensor<float> keys = ub_.keys;
        const LocalTensor<float> ofRows = ub_.pairs;
        AscendC::WholeReduceMax(ofRows, keys, Mask(lanes), repeats, 1, 1, KEY_BLOCKS,
                                AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        Spread(rows);
        AscendC::Sub(keys, keys, ub_.work, Mask(lanes), repeats, ByRow());
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(keys, keys, Mask(lanes), repeats, {1, 1, KEY_BLOCKS, KEY_BLOCKS});
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::WholeReduceSum(ofRows, keys, Mask(lanes), repeats, 1, 1, KEY_BLOCKS);
        Spread(rows);
        AscendC::Div(keys, keys, ub_.work, Mask(lanes), repeats, ByRow());
        AscendC::PipeBarrier<PIPE_V>();
    }

    // A number of each row, from `pairs` to a block of `work`.
    __aicore__ inline void Spread(int64_t rows) {
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Brcb(ub_.work, ub_.pairs, static_cast<uint8_t>((rows + SPREAD - 1) / SPREAD),
                      {1, SPREAD});
        AscendC::PipeBarrier<PIPE_V>();
    }

    // The second operand has one block for each row.
    __aicore__ inline static AscendC::BinaryRepeatParams ByRow() {
        return {1, 1, 0, KEY_BLOCKS, KEY_BLOCKS, 1};
    }

    // The best keys of each row and their numbers come to its first lanes.
    __aicore__ inline void Choose(int64_t rows) {
        const LocalTensor<uint32_t> numbers = ub_.numbers.template ReinterpretCast<uint32_t>();
        const auto repeats = static_cast<int32_t>(rows);
        AscendC::Sort32(ub_.pairs, ub_.keys, numbers, repeats);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Extract(ub_.keys, numbers, ub_.pairs, repeats);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void StoreRows(int64_t row, int64_t rows) {
        const int64_t first = row * k_;
        StoreRounded(call_.y, first, ub_.keys, ub_.pairs, k_, rows, SORTED_KEYS);
        for (int64_t i = 0; i < rows; ++i) {
            if (call_.IsFinished(row + i)) {
                Fill(ub_.numbers[i * SORTED_KEYS], static_cast<int32_t>(experts_), k_);
            }
        }
        Store(call_.expertIdx, first, ub_.numbers, k_, rows, Gap<int32_t>(k_, SORTED_KEYS));
        if (call_.hasRowIdx) {
            const LocalTensor<int32_t> places = ub_.work.template ReinterpretCast<int32_t>();
            // The scalar unit begins a progression.
            Order<HardEvent::V_S>();
            for (int64_t i = 0; i < rows; ++i) {
                AscendC::ArithProgression(places[i * SORTED_KEYS], static_cast<int32_t>(row + i),
                                          static_cast<int32_t>(rows_), static_cast<int32_t>(k_));
            }
            Store(call_.rowIdx, first, places, k_, rows, Gap<int32_t>(k_, SORTED_KEYS));
        }
    }

    Call<T> call_;
    Lanes ub_;

    int64_t rows_;
    int64_t experts_;
    int64_t k_;
    int64_t batch_;
    bool choosesFirst_;
};

}  // namespace gating

#endif
