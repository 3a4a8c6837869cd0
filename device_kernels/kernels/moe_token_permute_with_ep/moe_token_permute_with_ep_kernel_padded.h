// MoeTokenPermuteWithEp with paddedMode: row i of the output is token indices[i], its index goes to
// the operator's second output as int32, and its probability is that of the token for the expert to
// whom the row belongs. As many rows belong to each expert, one expert after the other.
#ifndef MOE_TOKEN_PERMUTE_WITH_EP_KERNEL_PADDED_H
#define MOE_TOKEN_PERMUTE_WITH_EP_KERNEL_PADDED_H

#include "kernel_operator.h"
#include "../shared/rows/row_gather_kernel.h"
#include "../shared/slots/slot_copy_kernel.h"
#include "../shared/sorting/stable_sort_kernel.h"
#include "moe_token_permute_with_ep_tiling.h"

namespace moe_token_permute_with_ep_kernel {

using slot_copy::BLOCK_BYTES;
using slot_copy::BUFFERS;
using slot_copy::Tensors;

// T stands for the bits of an element: nothing is computed with them.
template <typename Index, typename T>
class PaddedCopier : private slot_copy::RowGather<Index, T> {
    using Rows = slot_copy::RowGather<Index, T>;

public:
    __aicore__ inline void Init(const Tensors& tensors,
                                const __gm__ MoeTokenPermuteWithEpTilingData* tiling,
                                AscendC::TPipe* pipe) {
        const __gm__ SlotCopyTiling& slots = tiling->slots;
        Rows::Init(tensors.tokens, tensors.indices, tensors.permuteTokens, &slots, pipe);
        inputTokens_ = slots.tokens;
        experts_ = tiling->experts;
        hasProbs_ = slots.hasProbs != 0;
        rowsPerExpert_ = hasProbs_ ? slots.endRank / experts_ : 0;
        probs_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.probs));
        sortedIndices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.sortedIndices));
        permuteProbs_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.permuteProbs));

        pipe->InitBuffer(narrowBuffer_, Rows::Bytes(rowsPerBatch_ * sizeof(int32_t)));
        if (hasProbs_) {
            pipe->InitBuffer(probQueue_, BUFFERS, Rows::Bytes(rowsPerBatch_ * BLOCK_BYTES));
        }
    }

    __aicore__ inline void Process() {
        for (int64_t row = firstRow_; row < endRow_; row += rowsPerBatch_) {
            CopyBatch(row, ordering::Least(rowsPerBatch_, endRow_ - row));
        }
    }

private:
    using Rows::BLOCK_ELEMENTS;
    using Rows::endRow_;
    using Rows::firstRow_;
    using Rows::rowsPerBatch_;

    __aicore__ inline void CopyBatch(int64_t row, int64_t rows) {
        const AscendC::LocalTensor<Index> indices = Rows::Load(row, rows);
        CopyIndices(indices, row, rows);
        if (hasProbs_) {
            CopyProbs(indices, row, rows);
        }
        Rows::Copy(indices, row, rows);
        ordering::Order<AscendC::HardEvent::S_MTE2>();
    }

    // An index names a token, and the host tiling sees to it that 31 bits are enough for that.
    __aicore__ inline void CopyIndices(const AscendC::LocalTensor<Index>& indices, int64_t row,
                                       int64_t rows) {
        const AscendC::LocalTensor<int32_t> narrow = narrowBuffer_.template Get<int32_t>();
        ordering::Order<AscendC::HardEvent::MTE3_S>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t token = indices.GetValue(static_cast<uint32_t>(i));
            ASSERT(token >= 0 && token < inputTokens_);
            narrow.SetValue(static_cast<uint32_t>(i), static_cast<int32_t>(token));
        }
        ordering::Order<AscendC::HardEvent::S_MTE3>();
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

    AscendC::GlobalTensor<T> probs_;
    AscendC::GlobalTensor<int32_t> sortedIndices_;
    AscendC::GlobalTensor<T> permuteProbs_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> narrowBuffer_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, BUFFERS> probQueue_;

    int64_t inputTokens_;
    int64_t experts_;
    bool hasProbs_;
    int64_t rowsPerExpert_;
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
