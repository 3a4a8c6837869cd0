// A token's row goes to the ranks of its slots, as far as these are among those that the output
// holds; so do the slots' probabilities. Where ranks come from: slot_sort_kernel.h, or the caller.
#ifndef SLOT_COPY_KERNEL_H
#define SLOT_COPY_KERNEL_H

#include "kernel_operator.h"
#include "../sorting/ordering_kernel.h"
#include "slot_copy_tiling.h"

namespace slot_copy {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQueBind;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

constexpr int32_t BUFFERS = 2;
constexpr int64_t BLOCK_BYTES = 32;

// Null: what there is none of, and what only the sort uses where nothing is sorted.
struct Tensors {
    GM_ADDR tokens;
    GM_ADDR indices;
    GM_ADDR probs;
    GM_ADDR permuteTokens;
    GM_ADDR sortedIndices;
    GM_ADDR permuteProbs;
    GM_ADDR workspace;
};

// T stands for the bits of an element: nothing is computed with them. Ranks below the first one are
// left out, or else are the caller's mistake: then copying to one is told.
template <typename T, bool LEAVES_OUT_BELOW = true>
class Copier {
public:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ SlotCopyTiling* tiling,
                                TPipe* pipe) {
        topK_ = tiling->topK;
        hidden_ = tiling->hidden;
        hasProbs_ = tiling->hasProbs != 0;
        firstRank_ = tiling->firstRank;
        endRank_ = tiling->endRank;
        tokensPerBatch_ = tiling->tokensPerBatch;
        slotsPerBatch_ = tiling->slotsPerBatch;
        tileColumns_ = tiling->tileColumns;
        firstToken_ = AscendC::GetBlockIdx() * tiling->tokensPerCore;
        endToken_ = Least(firstToken_ + tiling->tokensPerCore, tiling->tokens);

        tokens_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.tokens));
        probs_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.probs));
        ranks_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.sortedIndices));
        permuteTokens_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.permuteTokens));
        permuteProbs_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.permuteProbs));

        const int64_t rankBytes = RoundUp(slotsPerBatch_ * sizeof(int32_t), BLOCK_BYTES);
        pipe->InitBuffer(rankBuffer_, static_cast<uint32_t>(rankBytes));
        if (hidden_ > 0) {
            const int64_t rowBytes = RoundUp(tileColumns_ * sizeof(T), BLOCK_BYTES);
            pipe->InitBuffer(rowQueue_, BUFFERS, static_cast<uint32_t>(tokensPerBatch_ * rowBytes));
        }
        if (hasProbs_) {
            pipe->InitBuffer(probQueue_, BUFFERS,
                             static_cast<uint32_t>(slotsPerBatch_ * BLOCK_BYTES));
        }
    }

    __aicore__ inline void Process() {
        for (int64_t token = firstToken_; token < endToken_; token += tokensPerBatch_) {
            const int64_t endToken = Least(token + tokensPerBatch_, endToken_);
            const int64_t endSlot = endToken * topK_;
            for (int64_t slot = token * topK_; slot < endSlot; slot += slotsPerBatch_) {
                CopySlots(slot, Least(slotsPerBatch_, endSlot - slot), token, endToken - token);
            }
        }
    }

private:
    static constexpr int64_t BLOCK_ELEMENTS = BLOCK_BYTES / static_cast<int64_t>(sizeof(T));

    // Slots [slot, slot + slots), whose rows are among [token, token + tokens).
    __aicore__ inline void CopySlots(int64_t slot, int64_t slots, int64_t token, int64_t tokens) {
        const LocalTensor<int32_t> ranks = rankBuffer_.Get<int32_t>();
        AscendC::DataCopyPad(
            ranks, ranks_[slot],
            DataCopyExtParams{1, static_cast<uint32_t>(slots * sizeof(int32_t)), 0, 0, 0},
            DataCopyPadExtParams<int32_t>{});
        Order<HardEvent::MTE2_S>();
        const bool isWanted = IsAnyKept(ranks, slots);
        if (hasProbs_ && isWanted) {
            CopyProbs(ranks, slot, slots);
        }
        for (int64_t column = 0; isWanted && column < hidden_; column += tileColumns_) {
            CopyRows(ranks, slot, slots, token, tokens, column,
                     Least(tileColumns_, hidden_ - column));
        }
        Order<HardEvent::S_MTE2>();
    }

    __aicore__ inline bool IsKept(int64_t rank) const {
        const bool isLeftOut = LEAVES_OUT_BELOW && rank < firstRank_;
        return !isLeftOut && rank < endRank_;
    }

    // A narrow range leaves most tokens out, whose rows need not be read.
    __aicore__ inline bool IsAnyKept(const LocalTensor<int32_t>& ranks, int64_t slots) const {
        for (int64_t i = 0; i < slots; ++i) {
            if (IsKept(ranks.GetValue(static_cast<uint32_t>(i)))) {
                return true;
            }
        }
        return false;
    }

    // Each probability lies in 32 bytes of its own, where a copy may begin.
    __aicore__ inline void CopyProbs(const LocalTensor<int32_t>& ranks, int64_t slot,
                                     int64_t slots) {
        const uint32_t bytes = sizeof(T);
        LocalTensor<T> probs = probQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(probs, probs_[slot],
                             DataCopyExtParams{static_cast<uint16_t>(slots), bytes, 0, 0, 0},
                             DataCopyPadExtParams<T>{});
        probQueue_.EnQue(probs);
        probs = probQueue_.template DeQue<T>();
        for (int64_t i = 0; i < slots; ++i) {
            const int64_t rank = ranks.GetValue(static_cast<uint32_t>(i));
            if (IsKept(rank)) {
                AscendC::DataCopyPad(permuteProbs_[rank - firstRank_], probs[i * BLOCK_ELEMENTS],
                                     DataCopyExtParams{1, bytes, 0, 0, 0});
            }
        }
        probQueue_.FreeTensor(probs);
    }

    // Columns [column, column + columns) of the slots' rows. Batches of several tokens hold whole
    // rows, which lie end to end in the input.
    __aicore__ inline void CopyRows(const LocalTensor<int32_t>& ranks, int64_t slot, int64_t slots,
                                    int64_t token, int64_t tokens, int64_t column,
                                    int64_t columns) {
        const int64_t rowElements = RoundUp(columns, BLOCK_ELEMENTS);
        const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
        LocalTensor<T> rows = rowQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(rows, tokens_[token * hidden_ + column],
                             DataCopyExtParams{static_cast<uint16_t>(tokens), bytes, 0, 0, 0},
                             DataCopyPadExtParams<T>{});
        rowQueue_.EnQue(rows);
        rows = rowQueue_.template DeQue<T>();
        for (int64_t i = 0; i < slots; ++i) {
            const int64_t rank = ranks.GetValue(static_cast<uint32_t>(i));
            if (IsKept(rank)) {
                const int64_t row = (slot + i) / topK_ - token;
                AscendC::DataCopyPad(permuteTokens_[(rank - firstRank_) * hidden_ + column],
                                     rows[row * rowElements], DataCopyExtParams{1, bytes, 0, 0, 0});
            }
        }
        rowQueue_.FreeTensor(rows);
    }

    GlobalTensor<T> tokens_;
    GlobalTensor<T> probs_;
    GlobalTensor<int32_t> ranks_;
    GlobalTensor<T> permuteTokens_;
    GlobalTensor<T> permuteProbs_;
    TBuf<TPosition::VECCALC> rankBuffer_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFERS> rowQueue_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFERS> probQueue_;

    int64_t topK_;
    int64_t hidden_;
    bool hasProbs_;
    int64_t firstRank_;
    int64_t endRank_;
    int64_t tokensPerBatch_;
    int64_t slotsPerBatch_;
    int64_t tileColumns_;
    int64_t firstToken_;
    int64_t endToken_;
};

template <typename T>
__aicore__ inline void Copy(const Tensors& tensors, const __gm__ SlotCopyTiling* tiling) {
    TPipe pipe;
    Copier<T> copier;
    copier.Init(tensors, tiling, &pipe);
    copier.Process();
}

}  // namespace slot_copy

#endif
