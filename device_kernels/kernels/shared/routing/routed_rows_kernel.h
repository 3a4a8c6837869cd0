// Rows of the output by their numbers: which slot takes each.
#ifndef ROUTED_ROWS_KERNEL_H
#define ROUTED_ROWS_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_share_kernel.h"
#include "routed_rows_tiling.h"
#include "slot_starts_kernel.h"

namespace routed_rows {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using ordering::Least;
using ordering::Order;
using row_sum::OwnShare;

using RowsTiling = const __gm__ RoutedRowsTiling;

constexpr int64_t BLOCK_BYTES = 32;

struct Tensors {
    GM_ADDR x;
    GM_ADDR scale;   // null: none
    GM_ADDR offset;  // null: none
    GM_ADDR expandedX;
    GM_ADDR expandedScale;
};

// What a row and its scale hold if no slot takes the row: zeros.
class Zeros {
public:
    __aicore__ inline void Init(const Tensors& tensors, bool hasScales, int64_t rowBytes,
                                RowsTiling* tiling, TPipe* pipe) {
        hasScales_ = hasScales;
        rowBytes_ = rowBytes;
        zeroBytes_ = tiling->zeroBytes;
        rows_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(tensors.expandedX));
        scales_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.expandedScale));
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(zeroBytes_));
        const int64_t integers = zeroBytes_ / static_cast<int64_t>(sizeof(int32_t));
        AscendC::Duplicate(buffer_.Get<int32_t>(), 0, static_cast<int32_t>(integers));
        Order<HardEvent::V_MTE3>();
    }

    __aicore__ inline void Write(int64_t row) {
        for (int64_t at = 0; at < rowBytes_; at += zeroBytes_) {
            const uint32_t bytes = static_cast<uint32_t>(Least(zeroBytes_, rowBytes_ - at));
            AscendC::DataCopyPad(rows_[row * rowBytes_ + at], buffer_.Get<int8_t>(),
                                 DataCopyExtParams{1, bytes, 0, 0, 0});
        }
        if (hasScales_) {
            AscendC::DataCopyPad(scales_[row], buffer_.Get<float>(),
                                 DataCopyExtParams{1, sizeof(float), 0, 0, 0});
        }
    }

private:
    GlobalTensor<int8_t> rows_;
    GlobalTensor<float> scales_;
    TBuf<TPosition::VECCALC> buffer_;

    bool hasScales_;
    int64_t rowBytes_;
    int64_t zeroBytes_;
};

// A block's share of the rows. A row is that of a rank, or with drop/pad one of the places of an
// expert; `Writer` writes it from the token of its slot, or zeros if no slot takes it. Slots that
// are more than tokens have count these over and over.
template <typename Writer>
class Rows {
public:
    __aicore__ inline void Init(const Tensors& tensors, GM_ADDR slotOfRank, GM_ADDR starts,
                                RowsTiling* tiling, TPipe* pipe) {
        experts_ = tiling->counted.experts;
        tileExperts_ = tiling->counted.tileEntries - 1;
        lastFactors_ = tiling->scaleRows - 1;
        capacity_ = tiling->capacity;
        tokens_ = tiling->slots.tokens;
        topK_ = tiling->slots.topK;
        rowsAtOnce_ = tiling->slots.slotsPerBatch;
        share_ = OwnShare(tiling->slots.endRank);
        if (starts != nullptr) {
            starts_.Init(starts, tiling->counted.tileEntries, pipe);
        }
        slotOfRank_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(slotOfRank));
        pipe->InitBuffer(slotBuffer_, slot_counts::IntegerBytes(rowsAtOnce_));
        writer_.Init(tensors, tiling, pipe);
    }

    // Of experts whose first ranks are `starts`.
    __aicore__ inline void Process() {
        const bool pads = capacity_ > 0;
        const int64_t first = pads ? share_.first / capacity_ : 0;
        const int64_t end = pads ? (share_.end + capacity_ - 1) / capacity_ : experts_;
        for (int64_t expert = first; expert < end; expert += tileExperts_) {
            const int64_t endOfTile = Least(expert + tileExperts_, end);
            starts_.Load(expert, endOfTile - expert + 1);
            for (int64_t one = expert; one < endOfTile; ++one) {
                WriteExpert(one);
            }
        }
    }

    // Of ranks, whatever experts they have: `experts` are those of the slots, null if no row needs
    // its own. One that has no factors takes the last ones, as nobody checks them before.
    __aicore__ inline void ProcessByRank(GM_ADDR experts) {
        slotExperts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(experts));
        WriteShare(share_.first, share_.end, 0, experts == nullptr ? 0 : EXPERT_OF_SLOT);
    }

private:
    static constexpr int64_t EXPERT_OF_SLOT = -1;

    __aicore__ inline void WriteExpert(int64_t expert) {
        const int64_t rank = starts_.Of(expert);
        const int64_t slots = starts_.Of(expert + 1) - rank;
        const int64_t first = capacity_ > 0 ? expert * capacity_ : rank;
        const int64_t taken = first + (capacity_ > 0 ? Least(slots, capacity_) : slots);
        WriteShare(Most(first, share_.first), Least(taken, share_.end), rank - first, expert);
        const int64_t endOfPlaces = Least(first + capacity_, share_.end);
        for (int64_t row = Most(taken, share_.first); row < endOfPlaces; ++row) {
            writer_.WriteZeros(row);
        }
    }

    __aicore__ inline void WriteShare(int64_t first, int64_t end, int64_t ahead, int64_t expert) {
        for (int64_t row = first; row < end; row += rowsAtOnce_) {
            WriteRows(row, Least(rowsAtOnce_, end - row), ahead, expert);
        }
    }

    // `ahead`: how much higher the ranks are.
    __aicore__ inline void WriteRows(int64_t row, int64_t rows, int64_t ahead, int64_t expert) {
        const LocalTensor<int32_t> slots = slotBuffer_.Get<int32_t>();
        Order<HardEvent::S_MTE2>();
        slot_counts::LoadIntegers(slots, slotOfRank_, row + ahead, rows);
        Order<HardEvent::MTE2_S>();
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t slot = slots.GetValue(static_cast<uint32_t>(i));
            const int64_t own = expert == EXPERT_OF_SLOT
                                    ? Least(slotExperts_.GetValue(slot), lastFactors_)
                                    : expert;
            writer_.Write(row + i, slot / topK_ % tokens_, own);
        }
    }

    static __aicore__ inline int64_t Most(int64_t a, int64_t b) { return a > b ? a : b; }

    Writer writer_;
    slot_counts::Starts starts_;
    GlobalTensor<int32_t> slotOfRank_;
    GlobalTensor<int32_t> slotExperts_;
    TBuf<TPosition::VECCALC> slotBuffer_;

    row_sum::Share share_;
    int64_t experts_;
    int64_t tileExperts_;
    int64_t lastFactors_;
    int64_t capacity_;
    int64_t tokens_;
    int64_t topK_;
    int64_t rowsAtOnce_;
};

}  // namespace routed_rows

#endif
