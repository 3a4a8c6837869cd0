// One value of each row into the place of its token and expert, zeros elsewhere. Rows lie expert by
// expert, `capacity` to each.
//
// All cores write zeros first, each its part of the output; when all have, each writes the values
// of its part of the rows. A token that is named twice by rows of one expert is the caller's
// mistake.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_SCATTER_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_SCATTER_H

#include "kernel_operator.h"
#include "../shared/rows/row_sum_kernel.h"
#include "../shared/rows/zero_fill_kernel.h"
#include "../shared/sorting/ordering_kernel.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"

namespace routing_map_grad_kernel {

using row_sum::Least;

// `Bits` is the unsigned integer of an element's size: values are moved, never computed with.
template <typename Bits>
class Scatter {
public:
    __aicore__ inline void Init(GM_ADDR values, GM_ADDR indices, GM_ADDR output,
                                const __gm__ RoutingMapGradScatter* tiling, AscendC::TPipe* pipe) {
        experts_ = tiling->experts;
        capacity_ = tiling->capacity;
        batch_ = tiling->batch;
        block_ = AscendC::GetBlockIdx();
        blocks_ = AscendC::GetBlockNum();
        zeros_ = row_sum::ShareOf(tiling->elements, block_, blocks_);
        const int64_t each = tiling->rows / blocks_;
        firstRow_ = block_ * each;
        endRow_ = block_ == blocks_ - 1 ? tiling->rows : firstRow_ + each;
        values_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(values));
        tokens_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices));
        output_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(output));
        pipe->InitBuffer(valueBuffer_, static_cast<uint32_t>(batch_ * BLOCK_BYTES));
        pipe->InitBuffer(tokenBuffer_, static_cast<uint32_t>(batch_ * sizeof(int32_t)));
    }

    __aicore__ inline void Process() {
        WriteZeros();
        AscendC::SyncAll();
        for (int64_t row = firstRow_; row < endRow_; row += batch_) {
            WriteValues(row, Least(batch_, endRow_ - row));
        }
    }

private:
    static constexpr int64_t BLOCK_BYTES = 32;
    static constexpr int64_t PER_BLOCK = BLOCK_BYTES / sizeof(Bits);

    __aicore__ inline void WriteZeros() {
        zero_fill::Write(output_, zeros_, valueBuffer_, batch_ * PER_BLOCK);
    }

    // One copy leaves every value in a block of its own, from where it can be copied out alone.
    __aicore__ inline void WriteValues(int64_t first, int64_t rows) {
        AscendC::LocalTensor<Bits> values = valueBuffer_.template Get<Bits>();
        AscendC::LocalTensor<int32_t> tokens = tokenBuffer_.template Get<int32_t>();
        const uint32_t bytes = static_cast<uint32_t>(rows * sizeof(int32_t));
        ordering::Order<AscendC::HardEvent::MTE3_MTE2>();
        AscendC::DataCopyPad(
            values, values_[first],
            AscendC::DataCopyExtParams{static_cast<uint16_t>(rows), sizeof(Bits), 0, 0, 0},
            AscendC::DataCopyPadExtParams<Bits>{});
        ordering::Order<AscendC::HardEvent::S_MTE2>();
        AscendC::DataCopyPad(tokens, tokens_[first], AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<int32_t>{});
        // The scalar unit starts no copy out before it has both: MTE3 needs no flag of its own.
        ordering::Order<AscendC::HardEvent::MTE2_S>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t token = tokens.GetValue(static_cast<uint32_t>(i));
            const int64_t expert = (first + i) / capacity_;
            AscendC::DataCopyPad(output_[token * experts_ + expert], values[i * PER_BLOCK],
                                 AscendC::DataCopyExtParams{1, sizeof(Bits), 0, 0, 0});
        }
    }

    AscendC::GlobalTensor<Bits> values_;
    AscendC::GlobalTensor<int32_t> tokens_;
    AscendC::GlobalTensor<Bits> output_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> valueBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> tokenBuffer_;
    int64_t experts_;
    int64_t capacity_;
    int64_t batch_;
    int64_t block_;
    int64_t blocks_;
    int64_t firstRow_;
    int64_t endRow_;
    row_sum::Share zeros_;
};

}  // namespace routing_map_grad_kernel

#endif
