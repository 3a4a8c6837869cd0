// Rows of the output, each a copy of the token that an index names.
#ifndef ROW_GATHER_KERNEL_H
#define ROW_GATHER_KERNEL_H

#include "kernel_operator.h"
#include "../slots/slot_copy_kernel.h"

namespace slot_copy {

// T stands for the bits of an element: nothing is computed with them. The tiling's tokensPerCore
// and tokensPerBatch count rows of the output, [0, endRank). An index that WRAPS names the token of
// its remainder, others have to be tokens.
template <typename Index, typename T, bool WRAPS = false>
class RowGather {
public:
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR indices, GM_ADDR permuteTokens,
                                const __gm__ SlotCopyTiling* tiling, TPipe* pipe) {
        hidden_ = tiling->hidden;
        inputRows_ = tiling->tokens;
        rowsPerBatch_ = tiling->tokensPerBatch;
        tileColumns_ = tiling->tileColumns;
        firstRow_ = AscendC::GetBlockIdx() * tiling->tokensPerCore;
        endRow_ = Least(firstRow_ + tiling->tokensPerCore, tiling->endRank);
        tokens_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tokens));
        indices_.SetGlobalBuffer(reinterpret_cast<__gm__ Index*>(indices));
        permuteTokens_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(permuteTokens));
        pipe->InitBuffer(indexBuffer_, Bytes(rowsPerBatch_ * sizeof(Index)));
        if (hidden_ > 0) {
            pipe->InitBuffer(rowQueue_, BUFFERS, rowsPerBatch_ * Bytes(tileColumns_ * sizeof(T)));
        }
    }

    __aicore__ inline void Process() {
        for (int64_t row = firstRow_; row < endRow_; row += rowsPerBatch_) {
            const int64_t rows = Least(rowsPerBatch_, endRow_ - row);
            const LocalTensor<Index> indices = Load(row, rows);
            Copy(indices, row, rows);
            Order<HardEvent::S_MTE2>();
        }
    }

protected:
    static constexpr int64_t BLOCK_ELEMENTS = BLOCK_BYTES / static_cast<int64_t>(sizeof(T));

    static __aicore__ inline uint32_t Bytes(int64_t bytes) {
        return static_cast<uint32_t>(RoundUp(bytes, BLOCK_BYTES));
    }

    __aicore__ inline LocalTensor<Index> Load(int64_t row, int64_t rows) {
        const LocalTensor<Index> indices = indexBuffer_.template Get<Index>();
        AscendC::DataCopyPad(
            indices, indices_[row],
            DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(Index)), 0, 0, 0},
            DataCopyPadExtParams<Index>{});
        Order<HardEvent::MTE2_S>();
        return indices;
    }

    __aicore__ inline void Copy(const LocalTensor<Index>& indices, int64_t row, int64_t rows) {
        for (int64_t column = 0; column < hidden_; column += tileColumns_) {
            CopyRows(indices, row, rows, column, Least(tileColumns_, hidden_ - column));
        }
    }

    int64_t rowsPerBatch_;
    int64_t firstRow_;
    int64_t endRow_;

private:
    // Columns [column, column + columns) of the rows. Batches of several rows hold whole ones,
    // which lie end to end in the output.
    __aicore__ inline void CopyRows(const LocalTensor<Index>& indices, int64_t row, int64_t rows,
                                    int64_t column, int64_t columns) {
        const int64_t rowElements = RoundUp(columns, BLOCK_ELEMENTS);
        const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
        LocalTensor<T> tile = rowQueue_.template AllocTensor<T>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t index = indices.GetValue(static_cast<uint32_t>(i));
            const int64_t token = WRAPS ? index % inputRows_ : index;
            AscendC::DataCopyPad(tile[i * rowElements], tokens_[token * hidden_ + column],
                                 DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>{});
        }
        rowQueue_.EnQue(tile);
        tile = rowQueue_.template DeQue<T>();
        AscendC::DataCopyPad(permuteTokens_[row * hidden_ + column], tile,
                             DataCopyExtParams{static_cast<uint16_t>(rows), bytes, 0, 0, 0});
        rowQueue_.FreeTensor(tile);
    }

    GlobalTensor<T> tokens_;
    GlobalTensor<Index> indices_;
    GlobalTensor<T> permuteTokens_;
    TBuf<TPosition::VECCALC> indexBuffer_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFERS> rowQueue_;

    int64_t hidden_;
    int64_t inputRows_;
    int64_t tileColumns_;
};

}  // namespace slot_copy

#endif
