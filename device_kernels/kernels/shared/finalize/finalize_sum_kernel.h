// The sum of a token: its addends, then its slots from the first to the last. The term of a slot is
// (row + bias) * scale, each operation rounded to fp32; without a row, as that of a dropped slot,
// it is bias * scale, without a bias row * scale, and without scales the factor is left out. Slots
// of some experts may have another term in place of their row (finalize_ranges_kernel.h).
//
// The order of the additions is part of the contract: ((x1 + x2) + term 0) + term 1 ..., whatever
// the machine, and rounded once to the data type of the rows. The first of what there is starts the
// sum; where there is nothing at all it is +0.0. An index that names no row, or an expert that the
// bias does not have, has none: nothing outside of the tensors is read.
#ifndef FINALIZE_SUM_KERNEL_H
#define FINALIZE_SUM_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_sum_kernel.h"
#include "../slots/slot_sum_kernel.h"
#include "../slots/slot_weights_kernel.h"
#include "../sorting/ordering_kernel.h"
#include "finalize_tiling.h"

namespace finalize {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPosition;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

struct Tensors {
    GM_ADDR expandedX;
    GM_ADDR expandedRowIdx;
    GM_ADDR x1;
    GM_ADDR x2;
    GM_ADDR bias;
    GM_ADDR scales;
    GM_ADDR expertIdx;
    GM_ADDR out;
};

// No expert is special.
template <typename T>
struct NoRanges {
    static constexpr bool IS_SOME = false;
};

// Experts are read where there is a bias, or ranges of special ones.
template <typename T, typename Scales, bool HAS_EXPERTS, typename Ranges = NoRanges<T>>
class TokenSum {
public:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ FinalizeTiling* tiling,
                                AscendC::TPipe* pipe, const Ranges& ranges = {}) {
        ranges_ = ranges;
        topK_ = tiling->topK;
        slotsPerPart_ = tiling->slotsPerPart;
        isSlotMajor_ = tiling->isSlotMajor == 1;
        hasX1_ = tiling->hasX1 == 1;
        hasX2_ = tiling->hasX2 == 1;
        biasRows_ = tiling->biasRows;
        tokens_ = tiling->rows.tokens;
        hidden_ = tiling->rows.hidden;
        sourceRows_ = tiling->rows.sourceRows;
        tileColumns_ = tiling->rows.tileColumns;
        batch_ = tiling->rows.batch;
        share_ = row_sum::ShareOf(tokens_, AscendC::GetBlockIdx(), AscendC::GetBlockNum());

        rowIndices_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.expandedRowIdx));
        x1_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x1));
        x2_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x2));
        rows_.Init(tensors.expandedX, tensors.out, &tiling->rows, pipe);

        const int64_t names = batch_ * slotsPerPart_;
        slotStride_ = RoundUp(batch_, BLOCK_INDICES);
        const int64_t indices = isSlotMajor_ ? slotsPerPart_ * slotStride_ : names;
        pipe->InitBuffer(indexBuffer_, static_cast<uint32_t>(indices * sizeof(int32_t)));
        scales_.Init(tensors.scales, names, pipe);
        if constexpr (HAS_EXPERTS) {
            bias_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.bias));
            experts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.expertIdx));
            pipe->InitBuffer(expertBuffer_, static_cast<uint32_t>(names * sizeof(int32_t)));
        }
    }

    __aicore__ inline void Process() {
        const bool isWhole = slotsPerPart_ == topK_;
        for (int64_t token = share_.first; token < share_.end; token += batch_) {
            const int64_t tokens = Least(batch_, share_.end - token);
            if (isWhole) {
                LoadSlots(token, tokens, 0, topK_);
            }
            for (int64_t i = 0; i < tokens; ++i) {
                for (int64_t column = 0; column < hidden_; column += tileColumns_) {
                    const int64_t columns = Least(tileColumns_, hidden_ - column);
                    isStarted_ = false;
                    AddAddends(token + i, column, columns);
                    if (isWhole) {
                        AddSlots(token + i, i, topK_, column, columns);
                    } else {
                        AddParts(token + i, column, columns);
                    }
                    if (!isStarted_) {
                        rows_.StartAtZero(columns);
                    }
                    rows_.Store(token + i, column, columns);
                }
            }
        }
    }

private:
    static constexpr int64_t BLOCK_INDICES = 8;  // int32 values of 32 bytes

    // Slots [slot, slot + slots) of each token, where there is more than one token: all slots.
    __aicore__ inline void LoadSlots(int64_t token, int64_t tokens, int64_t slot, int64_t slots) {
        const int64_t first = token * topK_ + slot;
        Order<HardEvent::S_MTE2>();
        LocalTensor<int32_t> indices = indexBuffer_.template Get<int32_t>();
        if (isSlotMajor_) {
            for (int64_t i = 0; i < slots; ++i) {
                CopyIn(indices[i * slotStride_], rowIndices_[(slot + i) * tokens_ + token], tokens);
            }
        } else {
            CopyIn(indices, rowIndices_[first], tokens * slots);
        }
        scales_.Load(first, tokens * slots);
        if constexpr (HAS_EXPERTS) {
            CopyIn(expertBuffer_.template Get<int32_t>(), experts_[first], tokens * slots);
        }
        Order<HardEvent::MTE2_S>();
    }

    __aicore__ inline static void CopyIn(const LocalTensor<int32_t>& to,
                                         const GlobalTensor<int32_t>& from, int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(int32_t));
        AscendC::DataCopyPad(to, from, DataCopyExtParams{1, bytes, 0, 0, 0},
                             DataCopyPadExtParams<int32_t>{});
    }

    __aicore__ inline void AddAddends(int64_t token, int64_t column, int64_t columns) {
        if (hasX1_) {
            Add(x1_[token * hidden_ + column], columns);
        }
        if (hasX2_) {
            Add(x2_[token * hidden_ + column], columns);
        }
    }

    // All slots of a token whose names do not fit UB together.
    __aicore__ inline void AddParts(int64_t token, int64_t column, int64_t columns) {
        for (int64_t slot = 0; slot < topK_; slot += slotsPerPart_) {
            const int64_t slots = Least(slotsPerPart_, topK_ - slot);
            LoadSlots(token, 1, slot, slots);
            AddSlots(token, 0, slots, column, columns);
        }
    }

    // The slots in UB of the token, which is at `place` of the batch.
    __aicore__ inline void AddSlots(int64_t token, int64_t place, int64_t slots, int64_t column,
                                    int64_t columns) {
        for (int64_t slot = 0; slot < slots; ++slot) {
            AddSlot(token, RowIndex(place, slot), place * slotsPerPart_ + slot, column, columns);
        }
    }

    // The slot whose scale and expert are at `name` of what is in UB.
    __aicore__ inline void AddSlot(int64_t token, int64_t row, int64_t name, int64_t column,
                                   int64_t columns) {
        const int64_t expert = HAS_EXPERTS ? ValueAt(expertBuffer_, name) : 0;
        const auto scale = scales_.At(name);
        if constexpr (Ranges::IS_SOME) {
            if (ranges_.IsZero(expert)) {
                return;
            }
            if (ranges_.IsCopy(expert)) {
                return AddTerm(ranges_.RowOf(token * hidden_ + column), expert, column, columns,
                               scale);
            }
            if (ranges_.IsConstant(expert)) {
                return AddTerm(ranges_.BlendOf(expert, token, hidden_, column), expert, column,
                               columns, scale);
            }
        }
        const bool hasRow = row >= 0 && row < sourceRows_;
        if (hasRow) {
            AddTerm(rows_.RowOf(row, column), expert, column, columns, scale);
        } else if (HasBias(expert)) {
            Add(BiasOf(expert, column), columns, scale);
        }
    }

    __aicore__ inline bool HasBias(int64_t expert) const {
        return HAS_EXPERTS && expert >= 0 && expert < biasRows_;
    }

    __aicore__ inline GlobalTensor<T> BiasOf(int64_t expert, int64_t column) {
        return bias_[expert * hidden_ + column];
    }

    // A term of an expert, with its bias.
    template <typename Term, typename Factor>
    __aicore__ inline void AddTerm(const Term& term, int64_t expert, int64_t column,
                                   int64_t columns, Factor scale) {
        if constexpr (HAS_EXPERTS) {
            if (HasBias(expert)) {
                return Add(row_sum::Pair<T, Term>{term, BiasOf(expert, column)}, columns, scale);
            }
        }
        Add(term, columns, scale);
    }

    template <typename Rows, typename Factor = row_sum::One>
    __aicore__ inline void Add(const Rows& rows, int64_t columns, Factor factor = {}) {
        if (isStarted_) {
            rows_.Add(rows, columns, factor);
        } else {
            rows_.StartAt(rows, columns, factor);
        }
        isStarted_ = true;
    }

    __aicore__ inline int64_t RowIndex(int64_t place, int64_t slot) {
        return ValueAt(indexBuffer_,
                       isSlotMajor_ ? slot * slotStride_ + place : place * slotsPerPart_ + slot);
    }

    __aicore__ inline static int64_t ValueAt(TBuf<TPosition::VECCALC>& buffer, int64_t place) {
        return buffer.template Get<int32_t>().GetValue(static_cast<uint32_t>(place));
    }

    GlobalTensor<int32_t> rowIndices_;
    GlobalTensor<int32_t> experts_;
    GlobalTensor<T> x1_;
    GlobalTensor<T> x2_;
    GlobalTensor<T> bias_;
    TBuf<TPosition::VECCALC> indexBuffer_;
    TBuf<TPosition::VECCALC> expertBuffer_;
    Scales scales_;
    row_sum::RowSum<T, HAS_EXPERTS, Ranges::IS_SOME> rows_;
    Ranges ranges_;
    row_sum::Share share_;

    int64_t topK_;
    int64_t slotsPerPart_;
    int64_t slotStride_;
    int64_t biasRows_;
    int64_t tokens_;
    int64_t hidden_;
    int64_t sourceRows_;
    int64_t tileColumns_;
    int64_t batch_;
    bool isSlotMajor_;
    bool hasX1_;
    bool hasX2_;
    bool isStarted_;
};

}  // namespace finalize

#endif
