// MoeTokenPermuteWithEp with paddedMode: row i of the output is token indices[i], its index goes to
// the operator's second output as int32, and its probability is that of the token for the expert to
// whom the row belongs. As many rows belong to each expert, one expert after the other.
#ifndef MOE_TOKEN_PERMUTE_WITH_EP_KERNEL_PADDED_H
#define MOE_TOKEN_PERMUTE_WITH_EP_KERNEL_PADDED_H

#include "../shared/slot_copy_kernel.h"
#include "../shared/stable_sort_kernel.h"
#include "kernel_operator.h"
#include "moe_token_permute_with_ep_tiling.h"

namespace moe_token_permute_with_ep_kernel {

using slot_copy::BLOCK_BYTES;
using slot_copy::BUFFERS;
using slot_copy::Tensors;

// T stands for the bits of an element: nothing is computed with them.
template <typename Index, typename T>
class PaddedCopier {
public:
    __aicore__ inline void Init(const Tensors& tensors,
                                const __gm__ MoeTokenPermuteWithEpTilingData* tiling,
                                AscendC::TPipe* pipe) {
        const __gm__ SlotCopyTiling& slots = tiling->slots;
        hidden_ = slots.hidden;
        inputTokens_ = slots.tokens;
        experts_ = tiling->experts;
        hasProbs_ = slots.hasProbs != 0;
        rowsPerExpert_ = hasProbs_ ? slots.endRank / experts_ : 0;
        rowsPerBatch_ = slots.tokensPerBatch;
        tileColumns_ = slots.tileColumns;
        firstRow_ = AscendC::GetBlockIdx() * slots.tokensPerCore;
        endRow_ = stable_sort::Least(firstRow_ + slots.tokensPerCore, slots.endRank);

        tokens_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.tokens));
        indices_.SetGlobalBuffer(reinterpret_cast<__gm__ Index*>(tensors.indices));
        probs_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.probs));
        permuteTokens_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.permuteTokens));
        sortedIndices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.sortedIndices));
        permuteProbs_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.permuteProbs));

        pipe->InitBuffer(indexBuffer_, Bytes(rowsPerBatch_ * sizeof(Index)));
        pipe->InitBuffer(narrowBuffer_, Bytes(rowsPerBatch_ * sizeof(int32_t)));
        if (hidden_ > 0) {
            pipe->InitBuffer(rowQueue_, BUFFERS, rowsPerBatch_ * Bytes(tileColumns_ * sizeof(T)));
        }
        if (hasProbs_) {
            pipe->InitBuffer(probQueue_, BUFFERS, Bytes(rowsPerBatch_ * BLOCK_BYTES));
        }
    }

    __aicore__ inline void Process() {
        for (int64_t row = firstRow_; row < endRow_; row += rowsPerBatch_) {
            CopyBatch(row, stable_sort::Least(rowsPerBatch_, endRow_ - row));
        }
    }

private:
    static constexpr int64_t BLOCK_ELEMENTS = BLOCK_BYTES / static_cast<int64_t>(sizeof(T));

    static __aicore__ inline uint32_t Bytes(int64_t bytes) {
        return static_cast<uint32_t>(stable_sort::RoundUp(bytes, BLOCK_BYTES));
    }

    __aicore__ inline void CopyBatch(int64_t row, int64_t rows) {
        const AscendC::LocalTensor<Index> indices = indexBuffer_.template Get<Index>();
        AscendC::DataCopyPad(
            indices, indices_[row],
            AscendC::DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(Index)), 0, 0, 0},
            AscendC::DataCopyPadExtParams<Index>{});
        stable_sort::Order<AscendC::HardEvent::MTE2_S>();
        CopyIndices(indices, row, rows);
        if (hasProbs_) {
            CopyProbs(indices, row, rows);
        }
        for (int64_t column = 0; column < hidden_; column += tileColumns_) {
            CopyRows(indices, row, rows, column,
                     stable_sort::Least(tileColumns_, hidden_ - column));
        }
        stable_sort::Order<AscendC::HardEvent::S_MTE2>();
    }

    // An index names a token, and the host tiling sees to it that 31 bits are enough for that.
    __aicore__ inline void CopyIndices(const AscendC::LocalTensor<Index>& indices, int64_t row,
                                       int64_t rows) {
        const AscendC::LocalTensor<int32_t> narrow = narrowBuffer_.template Get<int32_t>();
        stable_sort::Order<AscendC::HardEvent::MTE3_S>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t token = indices.GetValue(static_cast<uint32_t>(i));
            ASSERT(token >= 0 && token < inputTokens_);
            narrow.SetValue(static_cast<uint32_t>(i), static_cast<int32_t>(token));
        }
        stable_sort::Order<AscendC::HardEvent::S_MTE3>();
        AscendC::DataCopyPad(
            sortedIndices_[row], narrow,
            AscendC::DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(int32_t)), 0, 0, 0});
    }

    // Each probability lies in 32 bytes of its own, where a copy may begin.
    __aicore__ inline void CopyProbs(const AscendC::LocalTensor<Index>& indices, int64_t row,
                                     int64_t rows) {
        const uint32_t bytes = sizeof(T);
        AscendC::LocalTensor<T> probs = probQueue_.template AllocTensor<T>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t token = indices.GetValue(static_cast<uint32_t>(i));
            const int64_t expert = (row + i) / rowsPerExpert_;
            AscendC::DataCopyPad(probs[i * BLOCK_ELEMENTS], probs_[token * experts_ + expert],
                                 AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                                 AscendC::DataCopyPadExtParams<T>{});
        }
        probQueue_.EnQue(probs);
        probs = probQueue_.template DeQue<T>();
        AscendC::DataCopyPad(
            permuteProbs_[row], probs,
            AscendC::DataCopyExtParams{static_cast<uint16_t>(rows), bytes, 0, 0, 0});
        probQueue_.FreeTensor(probs);
    }

    // Columns [column, column + columns) of the rows. Batches of several rows hold whole ones,
    // which lie end to end in the output.
    __aicore__ inline void CopyRows(const AscendC::LocalTensor<Index>& indices, int64_t row,
                                    int64_t rows, int64_t column, int64_t columns) {
        const int64_t rowElements = stable_sort::RoundUp(columns, BLOCK_ELEMENTS);
        const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
        AscendC::LocalTensor<T> tile = rowQueue_.template AllocTensor<T>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t token = indices.GetValue(static_cast<uint32_t>(i));
            AscendC::DataCopyPad(tile[i * rowElements], tokens_[token * hidden_ + column],
                                 AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                                 AscendC::DataCopyPadExtParams<T>{});
        }
        rowQueue_.EnQue(tile);
        tile = rowQueue_.template DeQue<T>();
        AscendC::DataCopyPad(
            permuteTokens_[row * hidden_ + column], tile,
            AscendC::DataCopyExtParams{static_cast<uint16_t>(rows), bytes, 0, 0, 0});
        rowQueue_.FreeTensor(tile);
    }

    using Queue = AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, BUFFERS>;

    AscendC::GlobalTensor<T> tokens_;
    AscendC::GlobalTensor<Index> indices_;
    AscendC::GlobalTensor<T> probs_;
    AscendC::GlobalTensor<T> permuteTokens_;
    AscendC::GlobalTensor<int32_t> sortedIndices_;
    AscendC::GlobalTensor<T> permuteProbs_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> indexBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> narrowBuffer_;
    Queue rowQueue_;
    Queue probQueue_;

    int64_t hidden_;
    int64_t inputTokens_;
    int64_t experts_;
    bool hasProbs_;
    int64_t rowsPerExpert_;
    int64_t rowsPerBatch_;
    int64_t tileColumns_;
    int64_t firstRow_;
    int64_t endRow_;
};

template <typename Index, typename T>
__aicore__ inline void RunPadded(const Tensors& tensors,
                                 const __gm__ MoeTokenPermuteWithEpTilingData* tiling) {
    AscendC::TPipe pipe;
    PaddedCopier<Index, T> copier;
    copier.Init(tensors, tiling, &pipe);
    copier.Process();
}

}  // namespace moe_token_permute_with_ep_kernel

#endif
