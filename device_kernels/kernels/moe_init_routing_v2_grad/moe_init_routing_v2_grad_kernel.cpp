// MoeInitRoutingV2Grad in Ascend C: every output row is the sum of the topK source rows that the
// row indices of its token name, added in fp32 and rounded once.
//
// The order of the additions is part of the contract, since it makes the result the same for every
// core count and tile size. A token has B bins (a power of two that depends on topK alone):
//     1. bin b starts as slot 2b;
//     2. the even slots from 2B on are added to the bins in turn;
//     3. the odd slots are added to the bins in turn;
//     4. the bins are merged pairwise with strides 1, 2, 4, ...: bin 0 is the sum.
// A dropped slot starts a bin as zero and is skipped otherwise.

#include "kernel_operator.h"

#include <type_traits>

#include "moe_init_routing_v2_grad_tiling.h"

namespace moe_init_routing_v2_grad_kernel {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::QuePosition;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

constexpr int32_t BUFFERS = 2;
constexpr int64_t BLOCK_BYTES = 32;
constexpr int32_t DROPPED = -1;

enum class Mode { DROPLESS, ACTIVE, DROP_PAD };

template <typename T, Mode MODE>
class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR gradExpandedX, GM_ADDR expandedRowIdx, GM_ADDR gradX,
                                const __gm__ MoeInitRoutingV2GradTilingData* tiling, TPipe* pipe) {
        topK_ = tiling->topK;
        hidden_ = tiling->hidden;
        activeNum_ = tiling->activeNum;
        bins_ = tiling->bins;
        tokensPerBatch_ = tiling->tokensPerBatch;
        tileColumns_ = tiling->tileColumns;
        firstToken_ = AscendC::GetBlockIdx() * tiling->tokensPerCore;
        endToken_ = Least(firstToken_ + tiling->tokensPerCore, tiling->tokens);

        sourceRows_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradExpandedX));
        rowIndices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(expandedRowIdx));
        output_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradX));

        const int64_t rowElements = RoundedToBlocks(tileColumns_);
        binElements_ = tokensPerBatch_ * rowElements;
        pipe->InitBuffer(rowQueue_, BUFFERS, rowElements * sizeof(T));
        pipe->InitBuffer(resultQueue_, BUFFERS, binElements_ * sizeof(T));
        pipe->InitBuffer(binBuffer_, bins_ * binElements_ * sizeof(Sum));
        if constexpr (!std::is_same_v<T, Sum>) {
            pipe->InitBuffer(widenedBuffer_, rowElements * sizeof(Sum));
        }
    }

    __aicore__ inline void Process() {
        for (int64_t token = firstToken_; token < endToken_; token += tokensPerBatch_) {
            const int64_t tokens = Least(tokensPerBatch_, endToken_ - token);
            for (int64_t column = 0; column < hidden_; column += tileColumns_) {
                SumTile(token, tokens, column, Least(tileColumns_, hidden_ - column));
            }
        }
    }

private:
    using Sum = float;

    __aicore__ inline static int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

    // Elements of T that `columns` columns occupy in UB, where every row starts on a block of 32
    // bytes. The elements past `columns` are zeros from the copy on, and never leave UB.
    __aicore__ inline static int64_t RoundedToBlocks(int64_t columns) {
        constexpr int64_t granule = BLOCK_BYTES / sizeof(T);
        return (columns + granule - 1) / granule * granule;
    }

    // A product with one changes no value, and keeps the sign of a zero.
    __aicore__ inline static void Copy(const LocalTensor<Sum>& to, const LocalTensor<Sum>& from,
                                       int32_t count) {
        AscendC::Muls(to, from, static_cast<Sum>(1), count);
    }

    // Columns [column, column + columns) of the output rows [token, token + tokens).
    __aicore__ inline void SumTile(int64_t token, int64_t tokens, int64_t column, int64_t columns) {
        const int64_t rowElements = RoundedToBlocks(columns);
        for (int64_t i = 0; i < tokens; ++i) {
            SumToken(token + i, column, columns, i * rowElements);
        }
        MergeBins(tokens * rowElements);
        CopyOut(token, tokens, column, columns);
    }

    // Steps 1 to 3 for one token, whose part of every bin starts at element `place`.
    __aicore__ inline void SumToken(int64_t token, int64_t column, int64_t columns, int64_t place) {
        const int64_t slots = topK_;
        const int64_t slotsOfStep1 = 2 * bins_;
        // The number of bins is a power of two: a mask takes them in turn without a division.
        const int64_t turn = bins_ - 1;
        for (int64_t bin = 0; bin < bins_; ++bin) {
            const int32_t row = SourceRow(token, 2 * bin);
            StartBin(Bin(bin, place), row, column, columns);
        }
        for (int64_t slot = slotsOfStep1; slot < slots; slot += 2) {
            const int32_t row = SourceRow(token, slot);
            AddToBin(Bin(((slot - slotsOfStep1) / 2) & turn, place), row, column, columns);
        }
        for (int64_t slot = 1; slot < slots; slot += 2) {
            const int32_t row = SourceRow(token, slot);
            AddToBin(Bin(((slot - 1) / 2) & turn, place), row, column, columns);
        }
    }

    __aicore__ inline LocalTensor<Sum> Bin(int64_t bin, int64_t place) {
        return binBuffer_.template Get<Sum>()[bin * binElements_ + place];
    }

    __aicore__ inline int32_t SourceRow(int64_t token, int64_t slot) {
        return rowIndices_.GetValue(token * topK_ + slot);
    }

    // Only drop-pad mode has a marker for dropped slots; in active mode a negative index is the
    // caller's mistake, as is an index past the source rows in any mode.
    __aicore__ inline bool IsKept(int32_t row) const {
        if constexpr (MODE == Mode::ACTIVE) {
            return row < activeNum_;
        } else {
            return row != DROPPED;
        }
    }

    __aicore__ inline void StartBin(const LocalTensor<Sum>& bin, int32_t row, int64_t column,
                                    int64_t columns) {
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        if constexpr (MODE != Mode::DROPLESS) {
            if (!IsKept(row)) {
                AscendC::Duplicate(bin, static_cast<Sum>(0), count);
                AscendC::PipeBarrier<PIPE_V>();
                return;
            }
        }
        LocalTensor<T> values = CopyIn(row, column, columns);
        if constexpr (std::is_same_v<T, Sum>) {
            Copy(bin, values, count);
        } else {
            AscendC::Cast(bin, values, RoundMode::CAST_NONE, count);
        }
        AscendC::PipeBarrier<PIPE_V>();
        rowQueue_.FreeTensor(values);
    }

    __aicore__ inline void AddToBin(const LocalTensor<Sum>& bin, int32_t row, int64_t column,
                                    int64_t columns) {
        if constexpr (MODE != Mode::DROPLESS) {
            if (!IsKept(row)) {
                return;
            }
        }
        const int32_t count = static_cast<int32_t>(RoundedToBlocks(columns));
        LocalTensor<T> values = CopyIn(row, column, columns);
        if constexpr (std::is_same_v<T, Sum>) {
            AscendC::Add(bin, bin, values, count);
        } else {
            LocalTensor<Sum> widened = widenedBuffer_.template Get<Sum>();
            AscendC::Cast(widened, values, RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(bin, bin, widened, count);
        }
        AscendC::PipeBarrier<PIPE_V>();
        rowQueue_.FreeTensor(values);
    }

    __aicore__ inline LocalTensor<T> CopyIn(int32_t row, int64_t column, int64_t columns) {
        const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));
        DataCopyPadExtParams<T> zeros;
        zeros.isPad = true;
        zeros.rightPadding = static_cast<uint8_t>(RoundedToBlocks(columns) - columns);
        LocalTensor<T> values = rowQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(values, sourceRows_[row * hidden_ + column],
                             DataCopyExtParams{1, bytes, 0, 0, 0}, zeros);
        rowQueue_.EnQue(values);
        return rowQueue_.template DeQue<T>();
    }

    // Step 4, for all tokens of the batch at once.
    __aicore__ inline void MergeBins(int64_t elements) {
        const int32_t count = static_cast<int32_t>(elements);
        for (int64_t stride = 1; stride < bins_; stride *= 2) {
            for (int64_t bin = stride; bin < bins_; bin += 2 * stride) {
                const LocalTensor<Sum> into = Bin(bin - stride, 0);
                AscendC::Add(into, into, Bin(bin, 0), count);
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    // Batches of several tokens hold whole rows, which lie end to end in the output: no stride.
    __aicore__ inline void CopyOut(int64_t token, int64_t tokens, int64_t column, int64_t columns) {
        const int32_t count = static_cast<int32_t>(tokens * RoundedToBlocks(columns));
        LocalTensor<T> result = resultQueue_.template AllocTensor<T>();
        if constexpr (std::is_same_v<T, Sum>) {
            Copy(result, Bin(0, 0), count);
        } else {
            AscendC::Cast(result, Bin(0, 0), RoundMode::CAST_RINT, count);
        }
        AscendC::PipeBarrier<PIPE_V>();
        resultQueue_.EnQue(result);
        result = resultQueue_.template DeQue<T>();
        const uint16_t rows = static_cast<uint16_t>(tokens);
        const uint32_t rowBytes = static_cast<uint32_t>(columns * sizeof(T));
        AscendC::DataCopyPad(output_[token * hidden_ + column], result,
                             DataCopyExtParams{rows, rowBytes, 0, 0, 0});
        resultQueue_.FreeTensor(result);
    }

    GlobalTensor<T> sourceRows_;
    GlobalTensor<int32_t> rowIndices_;
    GlobalTensor<T> output_;
    TQue<QuePosition::VECIN, BUFFERS> rowQueue_;
    TQue<QuePosition::VECOUT, BUFFERS> resultQueue_;
    TBuf<TPosition::VECCALC> binBuffer_;
    TBuf<TPosition::VECCALC> widenedBuffer_;

    int64_t topK_;
    int64_t hidden_;
    int64_t activeNum_;
    int64_t bins_;
    int64_t tokensPerBatch_;
    int64_t tileColumns_;
    int64_t firstToken_;
    int64_t endToken_;
    int64_t binElements_;  // of one bin, for all tokens of a batch
};

template <typename T, Mode MODE>
__aicore__ inline void Run(GM_ADDR gradExpandedX, GM_ADDR expandedRowIdx, GM_ADDR gradX,
                           const __gm__ MoeInitRoutingV2GradTilingData* tiling) {
    TPipe pipe;
    Kernel<T, MODE> kernel;
    kernel.Init(gradExpandedX, expandedRowIdx, gradX, tiling, &pipe);
    kernel.Process();
}

}  // namespace moe_init_routing_v2_grad_kernel

extern "C" __global__ __aicore__ void moe_init_routing_v2_grad(GM_ADDR gradExpandedX,
                                                               GM_ADDR expandedRowIdx,
                                                               GM_ADDR gradX, GM_ADDR workspace,
                                                               GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using moe_init_routing_v2_grad_kernel::Mode;
    using moe_init_routing_v2_grad_kernel::Run;
    (void)workspace;
    auto data = reinterpret_cast<const __gm__ MoeInitRoutingV2GradTilingData*>(tiling);
    if (AscendC::GetBlockIdx() >= data->usedCores) {
        return;
    }
    switch (data->key) {
        case 1000:
            return Run<float, Mode::DROPLESS>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1001:
            return Run<half, Mode::DROPLESS>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1002:
            return Run<bfloat16_t, Mode::DROPLESS>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1010:
            return Run<float, Mode::ACTIVE>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1011:
            return Run<half, Mode::ACTIVE>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1012:
            return Run<bfloat16_t, Mode::ACTIVE>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1100:
            return Run<float, Mode::DROP_PAD>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1101:
            return Run<half, Mode::DROP_PAD>(gradExpandedX, expandedRowIdx, gradX, data);
        case 1102:
            return Run<bfloat16_t, Mode::DROP_PAD>(gradExpandedX, expandedRowIdx, gradX, data);
    }
}
