// The experts of a row by its input id: those of one row of a table, in its order.
#ifndef MOE_GATING_TOP_K_V2_KERNEL_LOOKUP_H
#define MOE_GATING_TOP_K_V2_KERNEL_LOOKUP_H

#include "kernel_operator.h"
#include "../shared/gating/group_choice_kernel.h"
#include "../shared/gating/group_lanes_kernel.h"

namespace group_gating {

constexpr int64_t WORD_BYTES = 4;

class Lookup {
public:
    // Ids of either tensor have 4 or 8 bytes; `inputIdBytes` 0: experts are chosen by key.
    __aicore__ inline void Init(GM_ADDR inputIds, GM_ADDR table, int64_t inputIdBytes,
                                int64_t expertIdBytes) {
        inputIdBytes_ = inputIdBytes;
        words_ = expertIdBytes / WORD_BYTES;
        inputIds_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(inputIds));
        wideInputIds_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(inputIds));
        table_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(table));
    }

    __aicore__ inline bool Has() const { return inputIdBytes_ != 0; }

    // A call that looks up has one group: an expert's lane has its number.
    __aicore__ inline void Choose(const Lanes& ub, int64_t row, int64_t k,
                                  const LocalTensor<float>& weights,
                                  const LocalTensor<int32_t>& ids) const {
        LoadExperts(ub, InputId(row) * k, k, ids);
        const LocalTensor<int32_t> offsets = Integers(ub.keys);
        AscendC::Muls(offsets, ids, LANE_STEP, Count(k));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Gather(weights, ub.scores, Bits(ub.keys), 0, static_cast<uint32_t>(k));
        AscendC::PipeBarrier<PIPE_V>();
    }

private:
    __aicore__ inline int64_t InputId(int64_t row) const {
        return inputIdBytes_ == WORD_BYTES ? inputIds_.GetValue(row) : wideInputIds_.GetValue(row);
    }

    // Wide ids come by way of `work`, and are narrowed: experts are at most 2048.
    __aicore__ inline void LoadExperts(const Lanes& ub, int64_t first, int64_t k,
                                       const LocalTensor<int32_t>& ids) const {
        const LocalTensor<int32_t> raw = words_ == 1 ? ids : Integers(ub.work);
        const auto bytes = static_cast<uint32_t>(k * words_ * WORD_BYTES);
        Order<HardEvent::V_MTE2>();
        AscendC::DataCopyPad(raw, table_[first * words_], DataCopyExtParams{1, bytes, 0, 0, 0},
                             DataCopyPadExtParams<int32_t>{});
        Order<HardEvent::MTE2_V>();
        if (words_ == 1) {
            return;
        }
        AscendC::Cast(ids, raw.ReinterpretCast<int64_t>(), RoundMode::CAST_NONE,
                      static_cast<uint32_t>(k));
        AscendC::PipeBarrier<PIPE_V>();
    }

    GlobalTensor<int32_t> inputIds_;
    GlobalTensor<int64_t> wideInputIds_;
    GlobalTensor<int32_t> table_;  // in words of 4 bytes
    int64_t inputIdBytes_;
    int64_t words_;  // of an expert's id
};

}  // namespace group_gating

#endif
