// MoeGatingTopKBackward in Ascend C: the gradient of the inputs of sigmoid scores, of which the k
// chosen ones were divided by their sum. Buffers: moe_gating_top_k_backward_tiling.h.
//
// All is computed in fp32 and rounded once. What fills up a row takes no part in its sums, whatever
// it is. An expert that is chosen twice has the sum of both gradients.

#include "kernel_operator.h"
#include "../shared/gating/gating_steps_kernel.h"
#include "moe_gating_top_k_backward_tiling.h"

namespace gating_backward {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using gating::BLOCK_FLOATS;
using gating::Fill;
using gating::Gap;
using gating::StoreRounded;
using gating::Widen;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

constexpr int64_t GRANULE = 16;
constexpr int64_t EXPERT_BYTES = 8;
constexpr int64_t SLOT_BYTES = 16;
constexpr int32_t SCORE_STEP = 4;  // bytes from one score to the next

__aicore__ inline int32_t Count(int64_t count) { return static_cast<int32_t>(count); }

template <typename T>
class Gradient {
public:
    __aicore__ inline void Init(GM_ADDR scores, GM_ADDR gradients, GM_ADDR ids, GM_ADDR result,
                                const __gm__ MoeGatingTopKBackwardTilingData* tiling, TPipe* pipe) {
        tiling_ = tiling;
        experts_ = RoundUp(tiling->experts, GRANULE);
        slots_ = RoundUp(tiling->k, GRANULE);
        allScores_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scores));
        allGradients_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradients));
        allIds_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(ids));
        result_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(result));
        const int64_t batch = tiling->batch;
        const int64_t bytes = batch * (EXPERT_BYTES * experts_ + SLOT_BYTES * slots_);
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(bytes));
        scores_ = buffer_.Get<float>();
        gradients_ = scores_[batch * experts_];
        ids_ = gradients_[batch * experts_].template ReinterpretCast<int32_t>();
        ofSlots_ = gradients_[batch * (experts_ + slots_)];
        weights_ = ofSlots_[batch * slots_];
        divisors_ = weights_[batch * slots_];
    }

    __aicore__ inline void Process() {
        const auto share =
            row_sum::ShareOf(tiling_->rows, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        for (int64_t row = share.first; row < share.end; row += tiling_->batch) {
            const int64_t rows = Least(tiling_->batch, share.end - row);
            Load(row, rows);
            GatherScores(rows);
            Derive(rows);
            Scatter(rows);
            StoreRounded(result_, row * tiling_->experts, gradients_, scores_, tiling_->experts,
                         rows, experts_);
        }
    }

private:
    // Rows of `count` elements, `apart` elements from one to the next in UB.
    template <typename Element>
    __aicore__ inline void CopyIn(const LocalTensor<Element>& to, const GlobalTensor<Element>& from,
                                  int64_t row, int64_t rows, int64_t count, int64_t apart) {
        const DataCopyExtParams copy{static_cast<uint16_t>(rows),
                                     static_cast<uint32_t>(count * sizeof(Element)), 0,
                                     static_cast<uint32_t>(Gap<Element>(count, apart)), 0};
        AscendC::DataCopyPad(to, from[row * count], copy, DataCopyPadExtParams<Element>{});
    }

    // What lies behind the last expert and the last slot of a row is anything.
    __aicore__ inline void Load(int64_t row, int64_t rows) {
        const LocalTensor<T> raw = divisors_.template ReinterpretCast<T>();
        Order<HardEvent::V_MTE2>();
        CopyIn(scores_, allScores_, row, rows, tiling_->experts, experts_);
        CopyIn(ids_, allIds_, row, rows, tiling_->k, slots_);
        CopyIn(raw, allGradients_, row, rows, tiling_->k, slots_);
        Order<HardEvent::MTE2_V>();
        Widen(ofSlots_, raw, rows * slots_);
        AscendC::Muls(ofSlots_, ofSlots_, tiling_->factor, Count(rows * slots_));
    }

    // The scores of the experts that were chosen, and the sum of each row with eps.
    __aicore__ inline void GatherScores(int64_t rows) {
        const LocalTensor<int32_t> places = divisors_.template ReinterpretCast<int32_t>();
        const LocalTensor<uint32_t> offsets = divisors_.template ReinterpretCast<uint32_t>();
        AscendC::Muls(places, ids_, SCORE_STEP, Count(rows * slots_));
        AscendC::PipeBarrier<PIPE_V>();
        for (int64_t i = 0; i < rows; ++i) {
            AscendC::Gather(weights_[i * slots_], scores_[i * experts_], offsets[i * slots_], 0,
                            static_cast<uint32_t>(tiling_->k));
        }
        AscendC::PipeBarrier<PIPE_V>();
        const LocalTensor<float> sums = SumSlots(rows);
        AscendC::Adds(sums, sums, tiling_->eps, Count(rows));
        Order<HardEvent::V_S>();
        for (int64_t i = 0; i < rows; ++i) {
            AscendC::Duplicate(divisors_[i * slots_], sums.GetValue(static_cast<uint32_t>(i)),
                               Count(slots_));
        }
        Order<HardEvent::S_V>();
        AscendC::PipeBarrier<PIPE_V>();
    }

    // The gradients of the scores that were chosen: those of the weights, less the mean of them by
    // weight, divided by the sum.
    __aicore__ inline void Derive(int64_t rows) {
        const int32_t count = Count(rows * slots_);
        AscendC::Div(weights_, weights_, divisors_, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(weights_, weights_, ofSlots_, count);
        AscendC::PipeBarrier<PIPE_V>();
        const LocalTensor<float> means = SumSlots(rows);
        Order<HardEvent::V_S>();
        for (int64_t i = 0; i < rows; ++i) {
            AscendC::Adds(ofSlots_[i * slots_], ofSlots_[i * slots_],
                          -means.GetValue(static_cast<uint32_t>(i)), Count(slots_));
        }
        Order<HardEvent::S_V>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(ofSlots_, ofSlots_, divisors_, count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    // One sum for each row, of its slots alone. They lie where the gradients of experts will.
    __aicore__ inline LocalTensor<float> SumSlots(int64_t rows) {
        const LocalTensor<float> work = gradients_[RoundUp(rows, BLOCK_FLOATS)];
        for (int64_t i = 0; i < rows; ++i) {
            AscendC::ReduceSum(gradients_[i], weights_[i * slots_], work, Count(tiling_->k));
        }
        AscendC::PipeBarrier<PIPE_V>();
        return gradients_;
    }

    // Each expert has the gradient of its score, 0 if it was not chosen, times x * (1 - x).
    __aicore__ inline void Scatter(int64_t rows) {
        const int32_t count = Count(rows * experts_);
        AscendC::Muls(gradients_, scores_, -1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(gradients_, gradients_, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(scores_, scores_, gradients_, count);
        AscendC::PipeBarrier<PIPE_V>();
        Fill(gradients_, 0.0f, count);
        Order<HardEvent::V_S>();
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t slot = i * slots_; slot < i * slots_ + tiling_->k; ++slot) {
                const auto at = static_cast<uint32_t>(slot);
                const auto expert = static_cast<uint32_t>(i * experts_ + ids_.GetValue(at));
                gradients_.SetValue(expert, gradients_.GetValue(expert) + ofSlots_.GetValue(at));
            }
        }
        Order<HardEvent::S_V>();
        AscendC::Mul(gradients_, gradients_, scores_, count);
        AscendC::PipeBarrier<PIPE_V>();
    }

    const __gm__ MoeGatingTopKBackwardTilingData* tiling_;
    GlobalTensor<float> allScores_;
    GlobalTensor<T> allGradients_;
    GlobalTensor<int32_t> allIds_;
    GlobalTensor<T> result_;
    TBuf<TPosition::VECCALC> buffer_;
    LocalTensor<float> scores_;
    LocalTensor<float> gradients_;
    LocalTensor<int32_t> ids_;
    LocalTensor<float> ofSlots_;
    LocalTensor<float> weights_;
    LocalTensor<float> divisors_;
    int64_t experts_;
    int64_t slots_;
};

template <typename T>
__aicore__ inline void RunAs(GM_ADDR scores, GM_ADDR gradients, GM_ADDR ids, GM_ADDR result,
                             const __gm__ MoeGatingTopKBackwardTilingData* tiling) {
    TPipe pipe;
    Gradient<T> gradient;
    gradient.Init(scores, gradients, ids, result, tiling, &pipe);
    gradient.Process();
}

}  // namespace gating_backward

extern "C" __global__ __aicore__ void moe_gating_top_k_backward(GM_ADDR xNorm, GM_ADDR gradY,
                                                                GM_ADDR expertIdx, GM_ADDR out,
                                                                GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    using namespace gating_backward;
    const auto data = reinterpret_cast<const __gm__ MoeGatingTopKBackwardTilingData*>(tiling);
    switch (data->dtype) {
        case 0:
            return RunAs<float>(xNorm, gradY, expertIdx, out, data);
        case 1:
            return RunAs<half>(xNorm, gradY, expertIdx, out, data);
        case 27:
            return RunAs<bfloat16_t>(xNorm, gradY, expertIdx, out, data);
    }
}
