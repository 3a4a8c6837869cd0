// Ranges of experts whose slots have a term of their own, whatever row they name. A zero expert has
// none, and its bias counts neither. A copy expert has the token's row of x. A constant expert has
// alpha1 * x + alpha2 * v, column by column, of its row of these, each operation rounded to fp32.
#ifndef FINALIZE_RANGES_KERNEL_H
#define FINALIZE_RANGES_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_sum_kernel.h"
#include "finalize_tiling.h"

namespace finalize {

struct RangeTensors {
    GM_ADDR x;
    GM_ADDR alpha1;
    GM_ADDR alpha2;
    GM_ADDR v;
};

template <typename T>
class ExpertRanges {
public:
    static constexpr bool IS_SOME = true;

    __aicore__ inline void Init(const RangeTensors& tensors,
                                const __gm__ FinalizeRangesTiling* tiling) {
        tiling_ = tiling;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x));
        alpha1_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.alpha1));
        alpha2_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.alpha2));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.v));
    }

    __aicore__ inline bool IsZero(int64_t expert) const {
        return expert >= tiling_->zeroStart && expert < tiling_->zeroEnd;
    }
    __aicore__ inline bool IsCopy(int64_t expert) const {
        return expert >= tiling_->copyStart && expert < tiling_->copyEnd;
    }
    __aicore__ inline bool IsConstant(int64_t expert) const {
        return expert >= tiling_->constantStart && expert < tiling_->constantEnd;
    }

    // Of x, from an element on.
    __aicore__ inline AscendC::GlobalTensor<T> RowOf(int64_t element) { return x_[element]; }

    __aicore__ inline row_sum::Blend<T> BlendOf(int64_t expert, int64_t token, int64_t hidden,
                                                int64_t column) {
        const int64_t own = (expert - tiling_->constantStart) * hidden + column;
        return {alpha1_[own], x_[token * hidden + column], alpha2_[own], v_[own]};
    }

private:
    const __gm__ FinalizeRangesTiling* tiling_;
    AscendC::GlobalTensor<T> x_;
    AscendC::GlobalTensor<T> alpha1_;
    AscendC::GlobalTensor<T> alpha2_;
    AscendC::GlobalTensor<T> v_;
};

}  // namespace finalize

#endif
