// MoeComputeExpertTokens in Ascend C: each core takes a stretch of the sorted ids, tile by tile.
//
// Where out[e] is i + 1, id i is the last that is at most e: sorted[i] <= e < sorted[i + 1], with
// the number of experts behind the last id. So the tile of ids from `first` to before `end` settles
// the experts from sorted[first] to before sorted[end], and no other tile does. Experts before the
// first id of all have zero. No two cores write the same element, and none waits for another.
#include "kernel_operator.h"
#include "moe_compute_expert_tokens_tiling.h"

namespace {

using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TPosition;

constexpr int64_t BLOCK_BYTES = 32;

class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR sortedExperts, GM_ADDR out,
                                const __gm__ MoeComputeExpertTokensTilingData* tiling,
                                AscendC::TPipe* pipe) {
        entries_ = tiling->entries;
        experts_ = tiling->experts;
        tileEntries_ = tiling->tileEntries;
        tileExperts_ = tiling->tileExperts;
        firstEntry_ = AscendC::GetBlockIdx() * tiling->entriesPerCore;
        endEntry_ = Least(firstEntry_ + tiling->entriesPerCore, entries_);
        sorted_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(sortedExperts));
        out_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(out));
        pipe->InitBuffer(idsBuffer_, InBlocks(tileEntries_ + 1));
        pipe->InitBuffer(countsBuffer_, InBlocks(tileExperts_));
        ids_ = idsBuffer_.Get<int32_t>();
        counts_ = countsBuffer_.Get<int32_t>();
        copiedIn_ = static_cast<event_t>(pipe->AllocEventID<HardEvent::MTE2_S>());
        idsRead_ = static_cast<event_t>(pipe->AllocEventID<HardEvent::S_MTE2>());
        counted_ = static_cast<event_t>(pipe->AllocEventID<HardEvent::S_MTE3>());
        copiedOut_ = static_cast<event_t>(pipe->AllocEventID<HardEvent::MTE3_S>());
        pipe_ = pipe;
    }

    __aicore__ inline void Process() {
        if (entries_ == 0) {
            Fill(0, experts_, 0, 0);
        }
        for (int64_t first = firstEntry_; first < endEntry_; first += tileEntries_) {
            const int64_t count = Least(tileEntries_, endEntry_ - first);
            const int64_t end = CopyIn(first, count);
            const int64_t begin = ids_.GetValue(0);
            if (first == 0) {
                Fill(0, begin, 0, 0);
            }
            Fill(begin, end, first, count);
            AscendC::SetFlag<HardEvent::S_MTE2>(idsRead_);
            AscendC::WaitFlag<HardEvent::S_MTE2>(idsRead_);
        }
        pipe_->ReleaseEventID<HardEvent::MTE2_S>(copiedIn_);
        pipe_->ReleaseEventID<HardEvent::S_MTE2>(idsRead_);
        pipe_->ReleaseEventID<HardEvent::S_MTE3>(counted_);
        pipe_->ReleaseEventID<HardEvent::MTE3_S>(copiedOut_);
    }

private:
    __aicore__ inline static int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

    // Bytes that so many elements occupy in UB, where copies move blocks of 32 bytes.
    __aicore__ inline static uint32_t InBlocks(int64_t elements) {
        const int64_t bytes = elements * static_cast<int64_t>(sizeof(int32_t));
        return static_cast<uint32_t>((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES);
    }

    // Takes `count` ids and the one behind them; answers the expert before which they end.
    __aicore__ inline int64_t CopyIn(int64_t first, int64_t count) {
        const bool isLast = first + count == entries_;
        const int64_t copied = isLast ? count : count + 1;
        const uint32_t bytes = static_cast<uint32_t>(copied * sizeof(int32_t));
        AscendC::DataCopyPad(ids_, sorted_[first], AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<int32_t>{});
        AscendC::SetFlag<HardEvent::MTE2_S>(copiedIn_);
        AscendC::WaitFlag<HardEvent::MTE2_S>(copiedIn_);
        return isLast ? experts_ : ids_.GetValue(static_cast<uint32_t>(count));
    }

    // Writes the experts from `begin` to before `end`: the ids before the tile, and those of its
    // `count` that are at most the expert.
    __aicore__ inline void Fill(int64_t begin, int64_t end, int64_t before, int64_t count) {
        int64_t passed = 0;
        for (int64_t from = begin; from < end; from += tileExperts_) {
            const int64_t experts = Least(tileExperts_, end - from);
            for (int64_t i = 0; i < experts; ++i) {
                passed = UpperBound(from + i, passed, count);
                counts_.SetValue(static_cast<uint32_t>(i), static_cast<int32_t>(before + passed));
            }
            CopyOut(from, experts);
        }
    }

    // The first place from `low` to `high` whose id is above the expert; `high` if there is none.
    __aicore__ inline int64_t UpperBound(int64_t expert, int64_t low, int64_t high) {
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (ids_.GetValue(static_cast<uint32_t>(middle)) <= expert) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    __aicore__ inline void CopyOut(int64_t to, int64_t experts) {
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(int32_t));
        AscendC::SetFlag<HardEvent::S_MTE3>(counted_);
        AscendC::WaitFlag<HardEvent::S_MTE3>(counted_);
        AscendC::DataCopyPad(out_[to], counts_, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
        AscendC::SetFlag<HardEvent::MTE3_S>(copiedOut_);
        AscendC::WaitFlag<HardEvent::MTE3_S>(copiedOut_);
    }

    AscendC::GlobalTensor<int32_t> sorted_;
    AscendC::GlobalTensor<int32_t> out_;
    AscendC::TBuf<TPosition::VECCALC> idsBuffer_;
    AscendC::TBuf<TPosition::VECCALC> countsBuffer_;
    LocalTensor<int32_t> ids_;
    LocalTensor<int32_t> counts_;
    AscendC::TPipe* pipe_;
    event_t copiedIn_;
    event_t idsRead_;
    event_t counted_;
    event_t copiedOut_;
    int64_t entries_;
    int64_t experts_;
    int64_t tileEntries_;
    int64_t tileExperts_;
    int64_t firstEntry_;
    int64_t endEntry_;
};

}  // namespace

extern "C" __global__ __aicore__ void moe_compute_expert_tokens(GM_ADDR sortedExperts, GM_ADDR out,
                                                                GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    Kernel kernel;
    kernel.Init(sortedExperts, out,
                reinterpret_cast<const __gm__ MoeComputeExpertTokensTilingData*>(tiling), &pipe);
    kernel.Process();
}
