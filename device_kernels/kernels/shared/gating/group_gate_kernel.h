// Row by row: scores, the choice of experts, and their weights.
//
// All is computed in fp32 and rounded once. Experts are chosen by score plus bias, or looked up in
// a table of the operator's own, and weighed by the score alone.
#ifndef GROUP_GATE_KERNEL_H
#define GROUP_GATE_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_share_kernel.h"
#include "group_choice_kernel.h"
#include "group_lanes_kernel.h"
#include "group_scores_kernel.h"

namespace group_gating {

// Bias may be null.
struct Tensors {
    GM_ADDR x;
    GM_ADDR bias;
    GM_ADDR y;
    GM_ADDR expertIdx;
    GM_ADDR result;
};

// Of an operator without a table.
struct NoLookup {
    __aicore__ inline bool Has() const { return false; }
    __aicore__ inline void Choose(const Lanes&, int64_t, int64_t, const LocalTensor<float>&,
                                  const LocalTensor<int32_t>&) const {}
};

template <typename T, typename Lookup>
class Gate {
public:
    __aicore__ inline void Init(const Tensors& tensors, const Lookup& lookup,
                                const __gm__ GroupGatingTiling* tiling, TPipe* pipe) {
        lookup_ = lookup;
        tiling_ = tiling;
        k_ = tiling->k;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.y));
        expertIdx_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.expertIdx));
        result_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.result));
        ub_.Init(tiling, pipe);
        LoadBias(tensors.bias);
    }

    __aicore__ inline void Process() {
        const auto share =
            row_sum::ShareOf(tiling_->rows, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        for (int64_t row = share.first; row < share.end; ++row) {
            Take(row);
        }
    }

private:
    __aicore__ inline void LoadBias(GM_ADDR bias) {
        if (bias != nullptr) {
            GlobalTensor<T> row;
            row.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bias));
            ub_.Load(ub_.bias, row);
            return;
        }
        Fill(ub_.bias, -Infinity(), ub_.all);
        for (int64_t group = 0; group < ub_.groups; ++group) {
            Fill(ub_.bias[ub_.FirstOf(group)], 0.0f, ub_.members);
        }
    }

    __aicore__ inline void Take(int64_t row) {
        const int64_t first = row * tiling_->experts;
        ub_.Load(ub_.scores, x_[first]);
        Score(ub_, tiling_->normType);
        if (tiling_->hasResult != 0) {
            Store(result_, first, ub_.scores, ub_.members, ub_.groups, ub_.Gap<float>());
        }
        const LocalTensor<float> weights = ub_.work[ub_.all];
        const LocalTensor<int32_t> ids = Integers(ub_.pairs);
        if (lookup_.Has()) {
            lookup_.Choose(ub_, row, k_, weights, ids);
        } else {
            ChooseByKey(weights, ids);
        }
        Weigh(weights);
        Store(expertIdx_, row * k_, ids, k_);
        gating::StoreRounded(y_, row * k_, weights, ub_.keys, k_, 1, k_);
    }

    __aicore__ inline void ChooseByKey(const LocalTensor<float>& weights,
                                       const LocalTensor<int32_t>& ids) {
        AscendC::Add(ub_.keys, ub_.scores, ub_.bias, Count(ub_.all));
        AscendC::PipeBarrier<PIPE_V>();
        ReplaceNan(ub_.keys, Infinity(), ub_.work, ub_.all);
        Fill(ub_.numbers, NO_NUMBER, ub_.all);
        if (ub_.groups == 1) {
            // The scalar unit begins a progression.
            Order<HardEvent::V_S>();
            Keep(ub_, 0);
        } else {
            KeepBest(ub_, tiling_->keptGroups, tiling_->scoreByTwo != 0);
        }
        Choose(ub_, k_, weights, ids);
    }

    __aicore__ inline void Weigh(const LocalTensor<float>& weights) {
        if (tiling_->normalises != 0) {
            const LocalTensor<float> sum = ub_.pairs[ub_.all];
            AscendC::ReduceSum(sum, weights, sum[BLOCK_FLOATS], Count(k_));
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(sum, sum, tiling_->eps, 1);
            Fill(ub_.keys, ValueOf(sum), k_);
            AscendC::Div(weights, weights, ub_.keys, Count(k_));
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Muls(weights, weights, tiling_->factor, Count(k_));
        AscendC::PipeBarrier<PIPE_V>();
    }

    const __gm__ GroupGatingTiling* tiling_;
    GlobalTensor<T> x_;
    GlobalTensor<T> y_;
    GlobalTensor<int32_t> expertIdx_;
    GlobalTensor<float> result_;
    Lookup lookup_;
    Lanes ub_;
    int64_t k_;
};

template <typename T, typename Lookup>
__aicore__ inline void RunAs(const Tensors& tensors, const Lookup& lookup,
                             const __gm__ GroupGatingTiling* tiling) {
    TPipe pipe;
    Gate<T, Lookup> gate;
    gate.Init(tensors, lookup, tiling, &pipe);
    gate.Process();
}

template <typename Lookup>
__aicore__ inline void Run(const Tensors& tensors, const Lookup& lookup,
                           const __gm__ GroupGatingTiling* tiling) {
    switch (tiling->dtype) {
        case 0:
            return RunAs<float>(tensors, lookup, tiling);
        case 1:
            return RunAs<half>(tensors, lookup, tiling);
        case 27:
            return RunAs<bfloat16_t>(tensors, lookup, tiling);
    }
}

}  // namespace group_gating

#endif
