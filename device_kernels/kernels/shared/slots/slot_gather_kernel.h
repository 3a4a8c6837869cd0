// Every slot gets the one element that its index names, bit by bit, or zero where it names none.
//
// Elements lie anywhere in the table, so each is fetched by a copy of its own, all of a batch
// before the first is waited for. They leave together, in the order of the slots.
#ifndef SLOT_GATHER_KERNEL_H
#define SLOT_GATHER_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_sum_kernel.h"
#include "../sorting/ordering_kernel.h"
#include "slot_gather_tiling.h"

namespace slot_gather {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using ordering::Order;
using row_sum::Least;

// T stands for the bits of an element: nothing is computed with them.
template <typename T, typename Named>
class SlotGather {
public:
    // `elements` are those of the table; an index that Named makes a row from there on names none.
    __aicore__ inline void Init(GM_ADDR table, int64_t elements, GM_ADDR indices, GM_ADDR output,
                                const __gm__ SlotGatherTiling* tiling, Named named,
                                AscendC::TPipe* pipe) {
        elements_ = elements;
        batch_ = tiling->batch;
        named_ = named;
        share_ = row_sum::ShareOf(tiling->slots, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(table));
        indices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices));
        output_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(output));
        pipe->InitBuffer(indexBuffer_, static_cast<uint32_t>(batch_ * sizeof(int32_t)));
        pipe->InitBuffer(fetchedBuffer_, static_cast<uint32_t>(batch_ * BLOCK_BYTES));
        pipe->InitBuffer(gatheredBuffer_, static_cast<uint32_t>(batch_ * sizeof(T)));
    }

    __aicore__ inline void Process() {
        for (int64_t slot = share_.first; slot < share_.end; slot += batch_) {
            const int64_t slots = Least(batch_, share_.end - slot);
            LoadIndices(slot, slots);
            Fetch(slots);
            Gather(slots);
            Store(slot, slots);
        }
    }

private:
    static constexpr int64_t BLOCK_BYTES = 32;
    static constexpr int64_t BLOCK_ELEMENTS = BLOCK_BYTES / static_cast<int64_t>(sizeof(T));

    __aicore__ inline void LoadIndices(int64_t slot, int64_t slots) {
        const uint32_t bytes = static_cast<uint32_t>(slots * sizeof(int32_t));
        Order<HardEvent::S_MTE2>();
        AscendC::DataCopyPad(indexBuffer_.Get<int32_t>(), indices_[slot],
                             DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<int32_t>{});
        Order<HardEvent::MTE2_S>();
    }

    __aicore__ inline void Fetch(int64_t slots) {
        const uint32_t bytes = sizeof(T);
        const LocalTensor<T> fetched = fetchedBuffer_.template Get<T>();
        for (int64_t i = 0; i < slots; ++i) {
            const int64_t row = RowOf(i);
            if (row < elements_) {
                AscendC::DataCopyPad(fetched[i * BLOCK_ELEMENTS], table_[row],
                                     DataCopyExtParams{1, bytes, 0, 0, 0},
                                     DataCopyPadExtParams<T>{});
            }
        }
        Order<HardEvent::MTE2_S>();
    }

    __aicore__ inline void Gather(int64_t slots) {
        const LocalTensor<T> fetched = fetchedBuffer_.template Get<T>();
        const LocalTensor<T> gathered = gatheredBuffer_.template Get<T>();
        for (int64_t i = 0; i < slots; ++i) {
            const bool isThere = RowOf(i) < elements_;
            const uint32_t at = static_cast<uint32_t>(i * BLOCK_ELEMENTS);
            gathered.SetValue(static_cast<uint32_t>(i), isThere ? fetched.GetValue(at) : T{0});
        }
    }

    __aicore__ inline void Store(int64_t slot, int64_t slots) {
        const uint32_t bytes = static_cast<uint32_t>(slots * sizeof(T));
        Order<HardEvent::S_MTE3>();
        AscendC::DataCopyPad(output_[slot], gatheredBuffer_.template Get<T>(),
                             DataCopyExtParams{1, bytes, 0, 0, 0});
        Order<HardEvent::MTE3_S>();
    }

    // Of the slot at `place` of the batch.
    __aicore__ inline int64_t RowOf(int64_t place) {
        return named_.RowOf(indexBuffer_.Get<int32_t>().GetValue(static_cast<uint32_t>(place)));
    }

    AscendC::GlobalTensor<T> table_;
    AscendC::GlobalTensor<int32_t> indices_;
    AscendC::GlobalTensor<T> output_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> indexBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> fetchedBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> gatheredBuffer_;
    Named named_;
    int64_t elements_;
    int64_t batch_;
    row_sum::Share share_;
};

}  // namespace slot_gather

#endif
