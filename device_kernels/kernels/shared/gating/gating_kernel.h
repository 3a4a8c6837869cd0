// Of each row the softmax and its k best experts, or the k best experts and their softmax.
//
// All is computed in fp32, with the maximum of the row subtracted, and rounded once. If softmax
// comes first, the keys that are sorted are its quotients: experts whose quotients are equal count
// as equal, also where their inputs differ. A row of several pieces is read three times, for its
// maximum, for its sum, and for the quotients. They are then the same as those of a row in one
// piece, but for the order in which the sum is taken. If the choice comes first, the keys are the
// inputs, and a row is read once.
//
// Of equal keys the lower expert goes first: sorting is stable, and the best of earlier pieces lie
// ahead of later experts. A row is filled up with -infinity behind its last expert, so that nothing
// that fills it goes before an expert. It would before a NaN, whose place in the order no document
// tells. So none is sorted: a row whose softmax is NaN has its first k experts, and a NaN that is
// a key itself counts as infinity.
#ifndef GATING_KERNEL_H
#define GATING_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_share_kernel.h"
#include "../sorting/ordering_kernel.h"
#include "gating_tiling.h"

namespace gating {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

constexpr int64_t SORTED_KEYS = 32;    // that a repeat of Sort takes
constexpr int64_t COMPARED_KEYS = 64;  // that a repeat of Compare takes
constexpr int64_t LANE_BYTES = 24;     // gating_tiling.h
constexpr int64_t BLOCK_FLOATS = 8;    // a result of a reduction has a block of 32 bytes

// Null: there is none, or it is not wanted.
struct Tensors {
    GM_ADDR x;
    GM_ADDR finished;
    GM_ADDR y;
    GM_ADDR expertIdx;
    GM_ADDR rowIdx;
    GM_ADDR softmaxResult;
};

template <typename T>
class Gate {
public:
    // `choosesFirst`: softmax is of the k best experts alone.
    __aicore__ inline void Init(const Tensors& tensors, bool choosesFirst,
                                const __gm__ GatingTiling* tiling, TPipe* pipe) {
        rows_ = tiling->rows;
        experts_ = tiling->experts;
        k_ = tiling->k;
        lanes_ = tiling->lanes;
        bestLanes_ = RoundUp(k_, SORTED_KEYS);
        choosesFirst_ = choosesFirst;
        hasFinished_ = tensors.finished != nullptr;
        hasRowIdx_ = tensors.rowIdx != nullptr;
        hasResult_ = tensors.softmaxResult != nullptr;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x));
        finished_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(tensors.finished));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.y));
        expertIdx_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.expertIdx));
        rowIdx_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.rowIdx));
        result_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.softmaxResult));
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(lanes_ * LANE_BYTES));
        keys_ = buffer_.Get<float>();
        numbers_ = buffer_.Get<int32_t>()[lanes_];
        pairs_ = keys_[2 * lanes_];
        work_ = keys_[4 * lanes_];
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

    __aicore__ inline bool IsWhole() const { return experts_ <= lanes_; }

    // The best keys of the row are its greatest inputs, then their shares of their sum.
    __aicore__ inline void ChooseInputs(int64_t row) {
        for (int64_t expert = 0; expert < experts_;) {
            const Piece piece = PieceAt(expert, expert == 0 ? 0 : bestLanes_);
            Load(row, piece);
            Number(piece);
            PutInfinityForNan(piece);
            Choose(piece);
            expert += piece.count;
        }
        const Piece best{0, k_, 0};
        // The first is the greatest.
        Exponentials(best, ValueOf(keys_));
        Divide(best, Sum(best));
    }

    // The best keys of the row are its greatest shares of the sum.
    __aicore__ inline void ChooseShares(int64_t row) {
        const float largest = LargestOf(row);
        const float sum = SumOf(row, largest);
        const bool isNumber = sum == sum;
        for (int64_t expert = 0; expert < experts_;) {
            const Piece piece = PieceAt(expert, expert == 0 ? 0 : bestLanes_);
            if (!IsWhole()) {
                Load(row, piece);
                Exponentials(piece, largest);
            }
            Divide(piece, sum);
            if (hasResult_) {
                Store(result_, row * experts_ + expert, keys_[piece.lane], piece.count);
            }
            if (!isNumber) {
                Fill(keys_[piece.lane], 0.0f, piece.count);
            }
            Number(piece);
            Choose(piece);
            expert += piece.count;
        }
        if (!isNumber) {
            Fill(keys_, sum, k_);
        }
    }

    __aicore__ inline float LargestOf(int64_t row) {
        float largest = -Infinity();
        for (int64_t expert = 0; expert < experts_; expert += lanes_) {
            const Piece piece = PieceAt(expert, 0);
            Load(row, piece);
            AscendC::ReduceMax(work_, keys_, work_[BLOCK_FLOATS],
                               static_cast<int32_t>(piece.count));
            const float ofPiece = ValueOf(work_);
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
        const LocalTensor<T> raw = pairs_.template ReinterpretCast<T>();
        const uint32_t bytes = static_cast<uint32_t>(piece.count * sizeof(T));
        Order<HardEvent::V_MTE2>();
        AscendC::DataCopyPad(raw, x_[row * experts_ + piece.expert],
                             DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>{});
        Fill(keys_[piece.End() - SORTED_KEYS], -Infinity(), SORTED_KEYS);
        Order<HardEvent::MTE2_V>();
        if constexpr (sizeof(T) == sizeof(float)) {
            AscendC::Muls(keys_[piece.lane], raw, 1.0f, static_cast<int32_t>(piece.count));
        } else {
            AscendC::Cast(keys_[piece.lane], raw, RoundMode::CAST_NONE,
                          static_cast<uint32_t>(piece.count));
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Exponentials(const Piece& piece, float largest) {
        const LocalTensor<float> keys = keys_[piece.lane];
        AscendC::Adds(keys, keys, -largest, static_cast<int32_t>(piece.count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(keys, keys, static_cast<int32_t>(piece.count));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline float Sum(const Piece& piece) {
        AscendC::ReduceSum(work_, keys_[piece.lane], work_[BLOCK_FLOATS],
                           static_cast<int32_t>(piece.count));
        return ValueOf(work_);
    }

    __aicore__ inline void Divide(const Piece& piece, float sum) {
        const LocalTensor<float> keys = keys_[piece.lane];
        Fill(pairs_, sum, piece.count);
        AscendC::Div(keys, keys, pairs_, static_cast<int32_t>(piece.count));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Number(const Piece& piece) {
        AscendC::ArithProgression(numbers_[piece.lane], static_cast<int32_t>(piece.expert), 1,
                                  static_cast<int32_t>(piece.End() - piece.lane));
        AscendC::PipeBarrier<PIPE_V>();
    }

    // Compare takes whole repeats, and with them lanes behind the piece or the first numbers.
    __aicore__ inline void PutInfinityForNan(const Piece& piece) {
        const LocalTensor<float> keys = keys_[piece.lane];
        const LocalTensor<uint8_t> areNumbers = work_.template ReinterpretCast<uint8_t>();
        const int64_t count = piece.End() - piece.lane;
        AscendC::Compare(areNumbers, keys, keys, AscendC::CMPMODE::EQ,
                         static_cast<uint32_t>(RoundUp(count, COMPARED_KEYS)));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Select(keys, areNumbers, keys, Infinity(),
                        AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
    }

    // The best keys and their numbers come to the first lanes.
    __aicore__ inline void Choose(const Piece& piece) {
        const auto repeats = static_cast<int32_t>(piece.End() / SORTED_KEYS);
        LocalTensor<float> keys;
        AscendC::Concat(keys, keys_, work_, repeats);
        AscendC::Sort<float, true>(pairs_, keys, numbers_.ReinterpretCast<uint32_t>(), work_,
                                   repeats);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Extract(keys_, numbers_.ReinterpretCast<uint32_t>(), pairs_,
                         static_cast<int32_t>(bestLanes_ / SORTED_KEYS));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void StoreRow(int64_t row) {
        const int64_t first = row * k_;
        if constexpr (sizeof(T) == sizeof(float)) {
            Store(y_, first, keys_, k_);
        } else {
            const LocalTensor<T> rounded = pairs_.template ReinterpretCast<T>();
            AscendC::Cast(rounded, keys_, RoundMode::CAST_RINT, static_cast<uint32_t>(k_));
            Store(y_, first, rounded, k_);
        }
        if (hasFinished_ && finished_.GetValue(row) != 0) {
            Fill(numbers_, static_cast<int32_t>(experts_), k_);
        }
        Store(expertIdx_, first, numbers_, k_);
        if (hasRowIdx_) {
            const LocalTensor<int32_t> places = work_.template ReinterpretCast<int32_t>();
            AscendC::ArithProgression(places, static_cast<int32_t>(row),
                                      static_cast<int32_t>(rows_), static_cast<int32_t>(k_));
            Store(rowIdx_, first, places, k_);
        }
    }

    template <typename Element>
    __aicore__ inline void Store(const GlobalTensor<Element>& to, int64_t first,
                                 const LocalTensor<Element>& from, int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(Element));
        Order<HardEvent::V_MTE3>();
        AscendC::DataCopyPad(to[first], from, DataCopyExtParams{1, bytes, 0, 0, 0});
        Order<HardEvent::MTE3_V>();
    }

    template <typename Element>
    __aicore__ inline void Fill(const LocalTensor<Element>& to, Element value, int64_t count) {
        AscendC::Duplicate(to, value, static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
    }

    // The first element, when the vector pipe has written it.
    __aicore__ inline float ValueOf(const LocalTensor<float>& from) {
        Order<HardEvent::V_S>();
        const float value = from.GetValue(0);
        Order<HardEvent::S_V>();
        return value;
    }

    __aicore__ inline static float Infinity() { return __builtin_inff(); }

    GlobalTensor<T> x_;
    GlobalTensor<uint8_t> finished_;
    GlobalTensor<T> y_;
    GlobalTensor<int32_t> expertIdx_;
    GlobalTensor<int32_t> rowIdx_;
    GlobalTensor<float> result_;
    TBuf<TPosition::VECCALC> buffer_;
    LocalTensor<float> keys_;
    LocalTensor<int32_t> numbers_;
    LocalTensor<float> pairs_;
    LocalTensor<float> work_;

    int64_t rows_;
    int64_t experts_;
    int64_t k_;
    int64_t lanes_;
    int64_t bestLanes_;
    bool choosesFirst_;
    bool hasFinished_;
    bool hasRowIdx_;
    bool hasResult_;
};

template <typename T>
__aicore__ inline void RunAs(const Tensors& tensors, bool choosesFirst,
                             const __gm__ GatingTiling* tiling) {
    TPipe pipe;
    Gate<T> gate;
    gate.Init(tensors, choosesFirst, tiling, &pipe);
    gate.Process();
}

__aicore__ inline void Run(const Tensors& tensors, bool choosesFirst,
                           const __gm__ GatingTiling* tiling) {
    switch (tiling->dtype) {
        case 0:
            return RunAs<float>(tensors, choosesFirst, tiling);
        case 1:
            return RunAs<half>(tensors, choosesFirst, tiling);
        case 27:
            return RunAs<bfloat16_t>(tensors, choosesFirst, tiling);
    }
}

}  // namespace gating

#endif
