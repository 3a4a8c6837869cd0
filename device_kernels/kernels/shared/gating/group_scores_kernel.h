// The scores of a row, in fp32. The lanes behind a group come to be 0, as they are -infinity.
#ifndef GROUP_SCORES_KERNEL_H
#define GROUP_SCORES_KERNEL_H

#include "kernel_operator.h"
#include "group_lanes_kernel.h"

namespace group_gating {

__aicore__ inline void Exponentials(const Lanes& ub) {
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(ub.scores, ub.scores, Count(ub.all));
    AscendC::PipeBarrier<PIPE_V>();
}

__aicore__ inline void AddOne(const Lanes& ub) {
    AscendC::Adds(ub.scores, ub.scores, 1.0f, Count(ub.all));
    AscendC::PipeBarrier<PIPE_V>();
}

// exp(x - maximum), divided by the sum.
__aicore__ inline void Softmax(const Lanes& ub) {
    const int32_t count = Count(ub.all);
    AscendC::ReduceMax(ub.work, ub.scores, ub.work[BLOCK_FLOATS], count);
    AscendC::Adds(ub.scores, ub.scores, -ValueOf(ub.work), count);
    Exponentials(ub);
    AscendC::ReduceSum(ub.work, ub.scores, ub.work[BLOCK_FLOATS], count);
    Fill(ub.pairs, ValueOf(ub.work), ub.all);
    AscendC::Div(ub.scores, ub.scores, ub.pairs, count);
    AscendC::PipeBarrier<PIPE_V>();
}

// 1 / (1 + exp(-x)).
__aicore__ inline void Sigmoid(const Lanes& ub) {
    AscendC::Muls(ub.scores, ub.scores, -1.0f, Count(ub.all));
    Exponentials(ub);
    AddOne(ub);
    Fill(ub.pairs, 1.0f, ub.all);
    AscendC::Div(ub.scores, ub.pairs, ub.scores, Count(ub.all));
    AscendC::PipeBarrier<PIPE_V>();
}

// sqrt(ln(1 + exp(x))) as it is written: infinity from x of 88.73 on, 0 up to x of -16.64.
__aicore__ inline void RootOfSoftplus(const Lanes& ub) {
    Exponentials(ub);
    AddOne(ub);
    AscendC::Ln(ub.scores, ub.scores, Count(ub.all));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sqrt(ub.scores, ub.scores, Count(ub.all));
    AscendC::PipeBarrier<PIPE_V>();
}

__aicore__ inline void Score(const Lanes& ub, int64_t normType) {
    switch (normType) {
        case 0:
            return Softmax(ub);
        case 1:
            return Sigmoid(ub);
        case 2:
            return RootOfSoftplus(ub);
    }
}

}  // namespace group_gating

#endif
