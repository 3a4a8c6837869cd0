// Every output row is the sum of the source rows that name its token, in the order of the rows,
// from +0.0 on. The rows of a token lie side by side in the sorted entries (kernel_sort.h). CANN
// sorts for the 16-bit types, and adds fp32 rows atomically, in any order; here all types are added
// in this one, so that a call gives the same bits each time.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_ADD_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_ADD_H

#include "kernel_operator.h"
#include "../shared/rows/row_sum_kernel.h"
#include "moe_token_permute_with_routing_map_grad_kernel_sort.h"

namespace routing_map_grad_kernel {

// A batch of RowSumTiling is so many sorted entries in the unified buffer (UB).
template <typename T>
class AddSorted {
public:
    __aicore__ inline void Init(GM_ADDR source, GM_ADDR sorted, GM_ADDR output,
                                const __gm__ RowSumTiling* tiling, AscendC::TPipe* pipe) {
        hidden_ = tiling->hidden;
        entries_ = tiling->sourceRows;
        tileColumns_ = tiling->tileColumns;
        batch_ = tiling->batch;
        share_ = row_sum::ShareOf(tiling->tokens, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        sorted_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sorted));
        rows_.Init(source, output, tiling, pipe);
        pipe->InitBuffer(window_, static_cast<uint32_t>(batch_ * ENTRY_BYTES));
    }

    __aicore__ inline void Process() {
        int64_t first = FirstEntryFrom(share_.first);
        for (int64_t token = share_.first; token < share_.end; ++token) {
            int64_t end = first;
            while (end < entries_ && TokenAt(end) == static_cast<float>(token)) {
                ++end;
            }
            for (int64_t column = 0; column < hidden_; column += tileColumns_) {
                const int64_t columns = Least(tileColumns_, hidden_ - column);
                rows_.StartAtZero(columns);
                for (int64_t entry = first; entry < end; ++entry) {
                    rows_.AddRow(RowAt(entry), column, columns);
                }
                rows_.Store(token, column, columns);
            }
            first = end;
        }
    }

private:
    // The first entry of a token that is not below `token`, by halving.
    __aicore__ inline int64_t FirstEntryFrom(int64_t token) {
        int64_t below = 0;
        int64_t end = entries_;
        while (below < end) {
            const int64_t middle = below + (end - below) / 2;
            Load(middle, 1);
            if (TokenAt(middle) < static_cast<float>(token)) {
                below = middle + 1;
            } else {
                end = middle;
            }
        }
        return below;
    }

    __aicore__ inline float TokenAt(int64_t entry) {
        const uint32_t place = PlaceOf(entry);
        return -window_.template Get<float>().GetValue(place);
    }

    __aicore__ inline int64_t RowAt(int64_t entry) {
        const uint32_t place = PlaceOf(entry);
        return window_.template Get<uint32_t>().GetValue(place + 1);
    }

    // Where an entry lies in the window, which moves to it if need be.
    __aicore__ inline uint32_t PlaceOf(int64_t entry) {
        if (entry < windowFirst_ || entry >= windowEnd_) {
            Load(entry, Least(batch_, entries_ - entry));
        }
        return static_cast<uint32_t>((entry - windowFirst_) * ENTRY_FLOATS);
    }

    __aicore__ inline void Load(int64_t entry, int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * ENTRY_BYTES);
        AscendC::LocalTensor<float> window = window_.template Get<float>();
        AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(EVENT_ID0);
        AscendC::DataCopyPad(window, sorted_[entry * ENTRY_FLOATS],
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<float>{});
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
        windowFirst_ = entry;
        windowEnd_ = entry + count;
    }

    AscendC::GlobalTensor<float> sorted_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> window_;
    row_sum::RowSum<T> rows_;
    int64_t hidden_;
    int64_t entries_;
    int64_t tileColumns_;
    int64_t batch_;
    int64_t windowFirst_ = 0;
    int64_t windowEnd_ = 0;
    row_sum::Share share_;
};

}  // namespace routing_map_grad_kernel

#endif
