// Sigmoid: 1 / (1 + exp(-x)) of each element.
#pragma once

#include <cstdint>

#include "../movement/rows.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "functions.h"
#include "numbers.h"

namespace ascendsim {

// By four instructions, each rounded to the dtype.
template <typename T>
T Logistic(T value) {
    return Quotient(T(1.0f), Sum(T(1.0f), Exponential(Product(value, T(-1.0f)))));
}

template <typename T>
void SigmoidOf(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
               uint32_t count, const VectorCall& call) {
    T* to = VectorOperand(dst, count, call);
    const T* from = VectorOperand(src, count, call);
    const uint64_t bytes = count * uint64_t{sizeof(T)};
    CheckApart(dst, bytes, src.UbAddress(), bytes, call);
    call.Perform([=] { ForEachElement(count, [=](uint32_t i) { to[i] = Logistic(from[i]); }); });
}

}  // namespace ascendsim

namespace AscendC {

// The working space, all of it, holds anything afterwards. isReuseSource has no effect.
template <typename T, bool isReuseSource = false>
void Sigmoid(const LocalTensor<T>& dst, const LocalTensor<T>& src,
             const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_DTYPES("Sigmoid", T, half, float);
    {
        const ascendsim::VectorCall call{"Sigmoid", where};
        const uint64_t bytes = calCount * uint64_t{sizeof(T)};
        ascendsim::CheckSpaceApart(&sharedTmpBuffer, src, bytes, call);
        ascendsim::CheckSpaceApart(&sharedTmpBuffer, dst, bytes, call);
        ascendsim::ClobberSpace(&sharedTmpBuffer, call);
        ascendsim::SigmoidOf(dst, src, calCount, call);
    }
    ascendsim::LeaveSpaceUndefined(&sharedTmpBuffer, {"Sigmoid", where});
}

template <typename T, bool isReuseSource = false>
void Sigmoid(const LocalTensor<T>& dst, const LocalTensor<T>& src,
             const LocalTensor<uint8_t>& sharedTmpBuffer,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    Sigmoid<T, isReuseSource>(dst, src, sharedTmpBuffer, src.GetSize(), where);
}

// With working space that the function takes from the rest of UB.
template <typename T, bool isReuseSource = false>
void Sigmoid(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t calCount,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_DTYPES("Sigmoid", T, half, float);
    ascendsim::SigmoidOf(dst, src, calCount, {"Sigmoid", where});
}

template <typename T, bool isReuseSource = false>
void Sigmoid(const LocalTensor<T>& dst, const LocalTensor<T>& src,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    Sigmoid<T, isReuseSource>(dst, src, src.GetSize(), where);
}

}  // namespace AscendC
