// A softmax with the k best experts, row by row: in one piece or in several (gating_tiling.h).
//
// If softmax comes first, a row of several pieces is read three times, for its maximum, for its
// sum, and for the quotients. They are then the same as those of a row in one piece, but for the
// order in which the sum is taken. If the choice comes first, a row is read once.
#ifndef GATING_ROW_KERNEL_H
#define GATING_ROW_KERNEL_H

#include "kernel_operator.h"
#include "gating_steps_kernel.h"
#include "gating_tiling.h"

namespace gating {

template <typename T>
class RowGate {
public:
    // `choosesFirst`: softmax is of the k best experts alone.
    __aicore__ inline void Init(const Tensors& tensors, bool choosesFirst,
                                const __gm__ GatingTiling* tiling, TPipe* pipe) {
        rows_ = tiling->rows;
        experts_ = tiling->experts;
        k_ = tiling->k;
        lanes_ = tiling->lanesAtOnce;
        bestLanes_ = RoundUp(k_, SORTED_KEYS);
        choosesFirst_ = choosesFirst;
        call_.Init(tensors);
        ub_.Init(lanes_, pipe);
    }

    __aicore__ inline void Process() {
        const auto share = row_sum::ShareOf(rows_, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        for (int64_t row = share.first; row < share.end; ++row) {
            if (choosesFirst_) {
                ChooseInputs(row);
            } else {
                ChooseShares(row);
            }
            StoreRow(row);
        }
    }

private:
    // Experts of a row that are in UB together, behind the best of those before.
    struct Piece {
        int64_t expert;  // the first
        int64_t count;
        int64_t lane;  // of the first

        __aicore__ inline int64_t End() const { return lane + RoundUp(count, SORTED_KEYS); }
    };

    __aicore__ inline Piece PieceAt(int64_t expert, int64_t lane) const {
        return {expert, Least(lanes_ - lane, experts_ - expert), lane};
    }

    __aicore__ inline Piece PieceBehindBest(int64_t expert) const {
        return PieceAt(expert, expert == 0 ? 0 : bestLanes_);
    }

    __aicore__ inline bool IsWhole() const { return experts_ <= lanes_; }

    // The best keys of the row are its greatest inputs, then their shares of their sum.
    __aicore__ inline void ChooseInputs(int64_t row) {
        for (int64_t expert = 0; expert < experts_;) {
            const Piece piece = PieceBehindBest(expert);
            Load(row, piece);
            Number(piece);
            ReplaceNan(ub_.keys[piece.lane], Infinity(), ub_.work, piece.End() - piece.lane);
            Choose(piece);
            expert += piece.count;
        }
        const Piece best{0, k_, 0};
        // The first is the greatest.
        Exponentials(best, ValueOf(ub_.keys));
        Divide(best, Sum(best));
    }

    // The best keys of the row are its greatest shares of the sum.
    __aicore__ inline void ChooseShares(int64_t row) {
        const float largest = LargestOf(row);
        const float sum = SumOf(row, largest);
        const bool isNumber = sum == sum;
        for (int64_t expert = 0; expert < experts_;) {
            const Piece piece = PieceBehindBest(expert);
            if (!IsWhole()) {
                Load(row, piece);
                Exponentials(piece, largest);
            }
            Divide(piece, sum);
            if (call_.hasResult) {
                Store(call_.softmaxResult, row * experts_ + expert, ub_.keys[piece.lane],
                      piece.count);
            }
            if (!isNumber) {
                Fill(ub_.keys[piece.lane], 0.0f, piece.count);
            }
            Number(piece);
            Choose(piece);
            expert += piece.count;
        }
        if (!isNumber) {
            Fill(ub_.keys, sum, k_);
        }
    }

    __aicore__ inline float LargestOf(int64_t row) {
        float largest = -Infinity();
        for (int64_t expert = 0; expert < experts_; expert += lanes_) {
            const Piece piece = PieceAt(expert, 0);
            Load(row, piece);
            AscendC::ReduceMax(ub_.work, ub_.keys, ub_.work[BLOCK_FLOATS],
                               static_cast<int32_t>(piece.count));
            const float ofPiece = ValueOf(ub_.work);
            largest = ofPiece > largest ? ofPiece : largest;
        }
        return largest;
    }

    // The exponentials of a row in one piece are left as keys.
    __aicore__ inline float SumOf(int64_t row, float largest) {
        float sum = 0.0f;
        for (int64_t expert = 0; expert < experts_; expert += lanes_) {
            const Piece piece = PieceAt(expert, 0);
            if (!IsWhole()) {
                Load(row, piece);
            }
            Exponentials(piece, largest);
            sum += Sum(piece);
        }
        return sum;
    }

    // A piece becomes keys, filled up behind its last expert.
    __aicore__ inline void Load(int64_t row, const Piece& piece) {
        const LocalTensor<T> raw = ub_.pairs.template ReinterpretCast<T>();
        const uint32_t bytes = static_cast<uint32_t>(piece.count * sizeof(T));
        Order<HardEvent::V_MTE2>();
        AscendC::DataCopyPad(raw, call_.x[row * experts_ + piece.expert],
                             DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>{});
        Fill(ub_.keys[piece.End() - SORTED_KEYS], -Infinity(), SORTED_KEYS);
        Order<HardEvent::MTE2_V>();
        Widen(ub_.keys[piece.lane], raw, piece.count);
    }

    __aicore__ inline void Exponentials(const Piece& piece, float largest) {
        const LocalTensor<float> keys = ub_.keys[piece.lane];
        AscendC::Adds(keys, keys, -largest, static_cast<int32_t>(piece.count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(keys, keys, static_cast<int32_t>(piece.count));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline float Sum(const Piece& piece) {
        AscendC::ReduceSum(ub_.work, ub_.keys[piece.lane], ub_.work[BLOCK_FLOATS],
                           static_cast<int32_t>(piece.count));
        return ValueOf(ub_.work);
    }

    __aicore__ inline void Divide(const Piece& piece, float sum) {
        const LocalTensor<float> keys = ub_.keys[piece.lane];
        Fill(ub_.pairs, sum, piece.count);
        AscendC::Div(keys, keys, ub_.pairs, static_cast<int32_t>(piece.count));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Number(const Piece& piece) {
        // The scalar unit begins a progression.
        Order<HardEvent::V_S>();
        AscendC::ArithProgression(ub_.numbers[piece.lane], static_cast<int32_t>(piece.expert), 1,
                                  static_cast<int32_t>(piece.End() - piece.lane));
        AscendC::PipeBarrier<PIPE_V>();
    }

    // The best keys and their numbers come to the first lanes.
    __aicore__ inline void Choose(const Piece& piece) {
        const auto repeats = static_cast<int32_t>(piece.End() / SORTED_KEYS);
        const LocalTensor<uint32_t> numbers = ub_.numbers.template ReinterpretCast<uint32_t>();
        LocalTensor<float> keys;
        AscendC::Concat(keys, ub_.keys, ub_.work, repeats);
        AscendC::Sort<float, true>(ub_.pairs, keys, numbers, ub_.work, repeats);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Extract(ub_.keys, numbers, ub_.pairs,
                         static_cast<int32_t>(bestLanes_ / SORTED_KEYS));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void StoreRow(int64_t row) {
        const int64_t first = row * k_;
        StoreRounded(call_.y, first, ub_.keys, ub_.pairs, k_, 1, k_);
        if (call_.IsFinished(row)) {
            Fill(ub_.numbers, static_cast<int32_t>(experts_), k_);
        }
        Store(call_.expertIdx, first, ub_.numbers, k_);
        if (call_.hasRowIdx) {
            const LocalTensor<int32_t> places = ub_.work.template ReinterpretCast<int32_t>();
            // The scalar unit begins a progression.
            Order<HardEvent::V_S>();
            AscendC::ArithProgression(places, static_cast<int32_t>(row),
                                      static_cast<int32_t>(rows_), static_cast<int32_t>(k_));
            Store(call_.rowIdx, first, places, k_);
        }
    }

    Call<T> call_;
    Lanes ub_;

    int64_t rows_;
    int64_t experts_;
    int64_t k_;
    int64_t lanes_;
    int64_t bestLanes_;
    bool choosesFirst_;
};

}  // namespace gating

#endif
