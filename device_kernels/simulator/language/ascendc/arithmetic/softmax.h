// SoftMax: the exponentials of a row's elements, divided by their sum.
#pragma once

#include <cstdint>
#include <vector>

#include "../../kernel_tiling/kernel_tiling.h"
#include "../vocabulary/dtype_table.h"
#include "softmax_rows.h"

namespace ascendsim {

// `sum` and `max` are null where a call has no such results.
template <typename T, typename S>
void SoftMaxOf(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<S>* sum,
               const AscendC::LocalTensor<S>* max, const AscendC::LocalTensor<T>& src,
               const Rows& rows, const VectorCall& call) {
    const T* from = VectorOperand(src, rows.Used(), call).InUnits(uint64_t{rows.used} * sizeof(T));
    CheckSameOrApart(dst, BytesOf<T>(rows), src, BytesOf<T>(rows), call);
    T* to = VectorOperand(dst, rows.Used(), call).InUnits(uint64_t{rows.used} * sizeof(T));
    [[maybe_unused]] const T* rest = Written(dst, rows.Rest(), call);
    S* sums = nullptr;
    S* largest = nullptr;
    if (sum != nullptr) {
        sums = RowBlocks(*sum, rows, call);
        largest = RowBlocks(*max, rows, call);
    }
    call.Perform([=] {
        std::vector<float> values;
        for (uint32_t row = 0; row < rows.count; ++row) {
            const uint64_t first = uint64_t{row} * rows.pitch;
            const float highest = LargestOf(from + first, rows.used);
            Exponentials(from + first, rows.used, highest, values);
            const float total = SumOfRow(values);
            for (uint32_t at = 0; at < rows.used; ++at) {
                to[first + at] = static_cast<T>(Quotient(values[at], total));
            }
            if (sums != nullptr) {
                FillBlock(sums, row, total);
                FillBlock(largest, row, highest);
            }
        }
    });
}

// The whole call: `isNz` and `config` are what the model has to refuse.
template <typename T, typename S>
void SoftMaxCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<S>* sum,
                 const AscendC::LocalTensor<S>* max, const AscendC::LocalTensor<T>& src,
                 const AscendC::LocalTensor<uint8_t>* space, const AscendC::SoftMaxShapeInfo& shape,
                 bool isNz, const AscendC::SoftmaxConfig& config, CallSite where) {
    ASCENDSIM_DTYPES("SoftMax", T, half, float);
    Rows rows{};
    {
        const VectorCall call{"SoftMax", where};
        rows = SoftMaxRows<T>(shape, isNz, config, call);
        CheckSpaceApart(space, src, BytesOf<T>(rows), call);
        CheckSpaceApart(space, dst, BytesOf<T>(rows), call);
        ClobberSpace(space, call);
        SoftMaxOf(dst, sum, max, src, rows, call);
    }
    LeaveRestUndefined(dst, rows, {"SoftMax", where});
    LeaveSpaceUndefined(space, {"SoftMax", where});
}

}  // namespace ascendsim

namespace AscendC {

// Without working space of their own these functions take it from the rest of UB. The tiling, and
// the parameters that promise something of the shape, have no effect.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
             const LocalTensor<T>& src, const SoftMaxTiling&, const SoftMaxShapeInfo& shape = {},
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SoftMaxCall(dst, &sum, &max, src, nullptr, shape, isDataFormatNZ, config, where);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
             const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
             const SoftMaxTiling&, const SoftMaxShapeInfo& shape = {},
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SoftMaxCall(dst, &sum, &max, src, &sharedTmpBuffer, shape, isDataFormatNZ, config,
                           where);
}

// half with sums and maxima of float.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<half>& dst, const LocalTensor<float>& sum,
             const LocalTensor<float>& max, const LocalTensor<half>& src, const SoftMaxTiling&,
             const SoftMaxShapeInfo& shape = {},
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SoftMaxCall(dst, &sum, &max, src, nullptr, shape, isDataFormatNZ, config, where);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<half>& dst, const LocalTensor<float>& sum,
             const LocalTensor<float>& max, const LocalTensor<half>& src,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling&,
             const SoftMaxShapeInfo& shape = {},
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SoftMaxCall(dst, &sum, &max, src, &sharedTmpBuffer, shape, isDataFormatNZ, config,
                           where);
}

// Without sums and maxima.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SoftMaxTiling&,
             const SoftMaxShapeInfo& shape = {},
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    const LocalTensor<T>* none = nullptr;
    ascendsim::SoftMaxCall(dst, none, none, src, nullptr, shape, false, config, where);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling&,
             const SoftMaxShapeInfo& shape = {},
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    const LocalTensor<T>* none = nullptr;
    ascendsim::SoftMaxCall(dst, none, none, src, &sharedTmpBuffer, shape, false, config, where);
}

}  // namespace AscendC
