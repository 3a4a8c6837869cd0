// MoeComputeExpertTokens in Ascend C: how many of the ascending entries are no greater than each
// expert.
//
// A core that has a share of the experts halves the entries until the rest is one tile, and counts
// that by vectors. One that has a share of the entries writes the experts whose last entry lies in
// it, and those without entries before the next share. So no expert is two cores'.
#include "kernel_operator.h"
#include "../shared/routing/slot_counts_kernel.h"
#include "../shared/rows/address_kernel.h"
#include "../shared/sorting/ordering_kernel.h"
#include "moe_compute_expert_tokens_tiling.h"

namespace {

using AscendC::HardEvent;
using AscendC::LocalTensor;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

constexpr int64_t WORD = 4;
constexpr int64_t LANES = 64;
constexpr int64_t BLOCK_WORDS = 8;

class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR sortedExperts, GM_ADDR out,
                                const __gm__ MoeComputeExpertTokensTilingData* tiling,
                                AscendC::TPipe* pipe) {
        const int64_t tile = tiling->tileEntries;
        const int64_t words = BLOCK_WORDS + RoundUp(RoundUp(tile, LANES) / LANES, BLOCK_WORDS);
        tiling_ = tiling;
        entries_ = gm::At<int32_t>(sortedExperts);
        out_ = gm::At<int32_t>(out);
        pipe->InitBuffer(integerBuffer_, static_cast<uint32_t>(tile * WORD));
        pipe->InitBuffer(numberBuffer_, static_cast<uint32_t>(tile * WORD));
        pipe->InitBuffer(differenceBuffer_, static_cast<uint32_t>(tile * WORD));
        pipe->InitBuffer(sumBuffer_, static_cast<uint32_t>(words * WORD));
        pipe->InitBuffer(resultBuffer_, static_cast<uint32_t>(RESULTS * WORD));
        first_ = AscendC::GetBlockIdx() * tiling->share;
    }

    __aicore__ inline void OfExperts() {
        const int64_t end = Least(first_ + tiling_->share, tiling_->experts);
        for (int64_t expert = first_; expert < end; ++expert) {
            int64_t low = 0;
            int64_t high = tiling_->entries;
            while (high - low > tiling_->tileEntries) {
                const int64_t middle = low + (high - low) / 2;
                if (Entry(middle) <= expert) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            Load(low, high - low);
            Put(low + Count(expert));
        }
        Write();
    }

    __aicore__ inline void OfEntries() {
        const int64_t begin = first_;
        const int64_t end = Least(begin + tiling_->share, tiling_->entries);
        const int64_t next = end < tiling_->entries ? Entry(end) : tiling_->experts;
        first_ = begin > 0 ? Entry(begin) : 0;
        int64_t expert = first_;
        for (int64_t at = begin; at < end; at += tiling_->tileEntries) {
            const int64_t count = Least(tiling_->tileEntries, end - at);
            const int64_t last = Entry(at + count - 1);
            if (expert < last) {
                Load(at, count);
            }
            for (; expert < last; ++expert) {
                Put(at + Count(expert));
            }
        }
        for (; expert < next; ++expert) {
            Put(end);
        }
        Write();
    }

private:
    // Of entries beyond the experts no count is asked.
    __aicore__ inline int64_t Entry(int64_t at) {
        return Least(entries_.GetValue(at), tiling_->experts);
    }

    // Takes a tile, as fp32, unless it is there: a place is that of one tile. Below 2^24 that is
    // exact.
    __aicore__ inline void Load(int64_t at, int64_t count) {
        if (at == at_) {
            return;
        }
        at_ = at;
        count_ = count;
        if (count > 0) {
            const LocalTensor<int32_t> integers = integerBuffer_.Get<int32_t>();
            Order<HardEvent::V_MTE2>();
            slot_counts::LoadIntegers(integers, entries_, at, count);
            Order<HardEvent::MTE2_V>();
            AscendC::Cast(numberBuffer_.Get<float>(), integers, AscendC::RoundMode::CAST_RINT,
                          static_cast<uint32_t>(count));
        }
    }

    // How many entries of the tile are no greater: each becomes -1, the others 0.
    __aicore__ inline int64_t Count(int64_t expert) {
        if (count_ == 0) {
            return 0;
        }
        const auto count = static_cast<int32_t>(count_);
        const LocalTensor<float> differences = differenceBuffer_.Get<float>();
        const LocalTensor<float> sum = sumBuffer_.Get<float>();
        Order<HardEvent::S_V>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(differences, numberBuffer_.Get<float>(), static_cast<float>(-expert - 1),
                      count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(differences, differences, 0.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(differences, differences, -1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ReduceSum(sum, differences, sum[BLOCK_WORDS], count);
        Order<HardEvent::V_S>();
        return -static_cast<int64_t>(sum.GetValue(0));
    }

    __aicore__ inline void Put(int64_t result) {
        resultBuffer_.Get<int32_t>().SetValue(static_cast<uint32_t>(results_),
                                              static_cast<int32_t>(result));
        if (++results_ == RESULTS) {
            Write();
        }
    }

    // Writes what is there from expert `first_` on.
    __aicore__ inline void Write() {
        if (results_ > 0) {
            Order<HardEvent::S_MTE3>();
            slot_counts::StoreIntegers(out_, first_, resultBuffer_.Get<int32_t>(), results_);
            Order<HardEvent::MTE3_S>();
        }
        first_ += results_;
        results_ = 0;
    }

    const __gm__ MoeComputeExpertTokensTilingData* tiling_;
    AscendC::GlobalTensor<int32_t> entries_;
    AscendC::GlobalTensor<int32_t> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> integerBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> numberBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> differenceBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer_;
    int64_t first_;        // of the share, then the expert of the first result that is not written
    int64_t results_ = 0;  // that are not written
    int64_t at_ = -1;      // of the tile that is there
    int64_t count_ = 0;    // its entries
};

}  // namespace

extern "C" __global__ __aicore__ void moe_compute_expert_tokens(GM_ADDR sortedExperts, GM_ADDR out,
                                                                GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto data = reinterpret_cast<const __gm__ MoeComputeExpertTokensTilingData*>(tiling);
    AscendC::TPipe pipe;
    Kernel kernel;
    kernel.Init(sortedExperts, out, data, &pipe);
    if (data->isByEntries != 0) {
        kernel.OfEntries();
    } else {
        kernel.OfExperts();
    }
}
