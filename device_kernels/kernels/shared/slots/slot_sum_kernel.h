// Every output row is the sum of the source rows that the slots of its token name, from the first
// slot to the last. A slot whose index is not below the number of source rows adds nothing. Slots
// may have weights (slot_weights_kernel.h), with which their rows are multiplied, and may name
// their rows otherwise than by the rows' numbers (slot_rows_kernel.h).
//
// The order of the additions is part of the contract: ((x0 + x1) + x2) + ..., whatever the machine.
// A dropped first slot starts the sum at +0.0; other dropped slots are passed over.
#ifndef SLOT_SUM_KERNEL_H
#define SLOT_SUM_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_sum_kernel.h"
#include "../rows/row_sum_tiling.h"
#include "../sorting/ordering_kernel.h"
#include "slot_rows_kernel.h"

#ifndef ASCENDSIM_UNREAD
#define ASCENDSIM_UNREAD(condition, index)
#endif

namespace row_sum {

// Slots whose rows are added as they are.
struct NoWeights {
    __aicore__ inline void Init(GM_ADDR, int64_t, AscendC::TPipe*) {}
    __aicore__ inline void Load(int64_t, int64_t) {}
    __aicore__ inline One At(int64_t) { return {}; }
    __aicore__ inline static bool IsKept(One) { return true; }
};

// A batch of RowSumTiling is so many tokens: their row indices, topK each, lie in UB together, and
// beside them their weights.
template <typename T, typename Weights = NoWeights, typename Named = NumberedRows>
class SlotSum {
public:
    __aicore__ inline void Init(GM_ADDR source, GM_ADDR indices, GM_ADDR output, int64_t topK,
                                const __gm__ RowSumTiling* tiling, AscendC::TPipe* pipe,
                                GM_ADDR weights = nullptr, Named named = {}) {
        named_ = named;
        topK_ = topK;
        hidden_ = tiling->hidden;
        sourceRows_ = tiling->sourceRows;
        tileColumns_ = tiling->tileColumns;
        batch_ = tiling->batch;
        share_ = ShareOf(tiling->tokens, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        rowIndices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices));
        rows_.Init(source, output, tiling, pipe);
        pipe->InitBuffer(indexBuffer_, static_cast<uint32_t>(batch_ * topK_ * sizeof(int32_t)));
        weights_.Init(weights, batch_ * topK_, pipe);
    }

    __aicore__ inline void Process() {
        for (int64_t token = share_.first; token < share_.end; token += batch_) {
            const int64_t tokens = Least(batch_, share_.end - token);
            LoadSlots(token, tokens);
            for (int64_t i = 0; i < tokens; ++i) {
                for (int64_t column = 0; column < hidden_; column += tileColumns_) {
                    const int64_t columns = Least(tileColumns_, hidden_ - column);
                    SumTile(i * topK_, column, columns);
                    rows_.Store(token + i, column, columns);
                }
            }
        }
    }

private:
    __aicore__ inline void LoadSlots(int64_t token, int64_t tokens) {
        const uint32_t bytes = static_cast<uint32_t>(tokens * topK_ * sizeof(int32_t));
        AscendC::LocalTensor<int32_t> indices = indexBuffer_.template Get<int32_t>();
        ordering::Order<AscendC::HardEvent::S_MTE2>();
        AscendC::DataCopyPad(indices, rowIndices_[token * topK_],
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<int32_t>{});
        weights_.Load(token * topK_, tokens * topK_);
        ordering::Order<AscendC::HardEvent::MTE2_S>();
    }

    // The slots of one token, whose indices begin at `place` of the batch.
    __aicore__ inline void SumTile(int64_t place, int64_t column, int64_t columns) {
        const int64_t slots = topK_;
        const int64_t first = SourceRow(place);
        const auto firstWeight = weights_.At(place);
        ASCENDSIM_UNREAD(first < 0 && !Weights::IsKept(firstWeight), first);
        if (IsKept(first) && Weights::IsKept(firstWeight)) {
            rows_.StartAtRow(first, column, columns, firstWeight);
        } else {
            rows_.StartAtZero(columns);
        }
        for (int64_t slot = 1; slot < slots; ++slot) {
            const int64_t row = SourceRow(place + slot);
            const auto weight = weights_.At(place + slot);
            ASCENDSIM_UNREAD(row < 0 && !Weights::IsKept(weight), row);
            if (IsKept(row) && Weights::IsKept(weight)) {
                rows_.AddRow(row, column, columns, weight);
            }
        }
    }

    __aicore__ inline int64_t SourceRow(int64_t place) {
        const int64_t index =
            indexBuffer_.template Get<int32_t>().GetValue(static_cast<uint32_t>(place));
        return named_.RowOf(index);
    }

    __aicore__ inline bool IsKept(int64_t row) const { return row < sourceRows_; }

    AscendC::GlobalTensor<int32_t> rowIndices_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> indexBuffer_;
    Weights weights_;
    Named named_;
    RowSum<T> rows_;
    int64_t topK_;
    int64_t hidden_;
    int64_t sourceRows_;
    int64_t tileColumns_;
    int64_t batch_;
    Share share_;
};

}  // namespace row_sum

#endif
