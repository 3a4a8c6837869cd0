// Of each row the softmax and its k best experts, or the k best experts and their softmax.
//
// All is computed in fp32, with the maximum of the row subtracted, and rounded once. If softmax
// comes first, the keys that are sorted are its quotients, on every path: experts whose quotients
// are equal count as equal, also if their inputs differ. Else the keys are the inputs.
//
// Of equal keys the lower expert goes first: sorting is stable, and the best of earlier pieces lie
// ahead of later experts. A row is filled up with -infinity behind its last expert, so that nothing
// that fills it goes before an expert. It might before a NaN, whose place in the order no document
// tells. So none is sorted: a row whose softmax is NaN has its first k experts, and a NaN that is
// a key itself counts as infinity.
#ifndef GATING_KERNEL_H
#define GATING_KERNEL_H

#include "kernel_operator.h"
#include "gating_batch_kernel.h"
#include "gating_row_kernel.h"
#include "gating_tiling.h"

namespace gating {

template <typename Gate>
__aicore__ inline void RunBy(const Tensors& tensors, bool choosesFirst,
                             const __gm__ GatingTiling* tiling) {
    TPipe pipe;
    Gate gate;
    gate.Init(tensors, choosesFirst, tiling, &pipe);
    gate.Process();
}

template <typename T>
__aicore__ inline void RunAs(const Tensors& tensors, bool choosesFirst,
                             const __gm__ GatingTiling* tiling) {
    if (tiling->experts <= SORTED_KEYS) {
        RunBy<BatchGate<T>>(tensors, choosesFirst, tiling);
    } else {
        RunBy<RowGate<T>>(tensors, choosesFirst, tiling);
    }
}

__aicore__ inline void Run(const Tensors& tensors, bool choosesFirst,
                           const __gm__ GatingTiling* tiling) {
    switch (tiling->dtype) {
        case 0:
            return RunAs<float>(tensors, choosesFirst, tiling);
        case 1:
            return RunAs<half>(tensors, choosesFirst, tiling);
        case 27:
            return RunAs<bfloat16_t>(tensors, choosesFirst, tiling);
    }
}

}  // namespace gating

#endif
