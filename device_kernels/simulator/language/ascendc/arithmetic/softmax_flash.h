// SoftmaxFlashV2: SoftMax of rows that come in parts, without the division.
#pragma once

#include <cstdint>
#include <vector>

#include "../../kernel_tiling/kernel_tiling.h"
#include "../vocabulary/dtype_table.h"
#include "softmax_rows.h"

namespace ascendsim {

// The results and operands of one value per row; S is float where T is half, or T.
template <typename T, typename S>
struct FlashOperands {
    const AscendC::LocalTensor<S>& sum;
    const AscendC::LocalTensor<S>& max;
    const AscendC::LocalTensor<T>& expMax;
    const AscendC::LocalTensor<S>& sumBefore;
    const AscendC::LocalTensor<S>& maxBefore;
};

// With `updates`, the rows' earlier parts have the largest element and the sum of `...Before`.
template <bool updates, typename T, typename S>
void FlashOf(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
             const FlashOperands<T, S>& with, const Rows& rows, const VectorCall& call) {
    const uint64_t unit = uint64_t{rows.used} * sizeof(T);
    const T* from = VectorOperand(src, rows.Used(), call).InUnits(unit);
    CheckSameOrApart(dst, BytesOf<T>(rows), src, BytesOf<T>(rows), call);
    const S* sumBefore = nullptr;
    const S* maxBefore = nullptr;
    T* factors = nullptr;
    if constexpr (updates) {
        sumBefore = RowBlocks(with.sumBefore, rows, call);
        maxBefore = RowBlocks(with.maxBefore, rows, call);
        factors = RowBlocks(with.expMax, rows, call);
    }
    T* to = VectorOperand(dst, rows.Used(), call).InUnits(unit);
    [[maybe_unused]] const T* rest = Written(dst, rows.Rest(), call);
    S* sums = RowBlocks(with.sum, rows, call);
    S* largest = RowBlocks(with.max, rows, call);
    call.Perform([from, sumBefore, maxBefore, factors, to, sums, largest, rows] {
        std::vector<float> values;
        for (uint32_t row = 0; row < rows.count; ++row) {
            const uint64_t first = uint64_t{row} * rows.pitch;
            float highest = LargestOf(from + first, rows.used);
            float carried = 0.0f;
            if constexpr (updates) {
                const auto before = static_cast<float>(maxBefore[row * kBlockOf<S>]);
                highest = Larger(before, highest);
                const float factor = Exponential(before - highest);
                FillBlock(factors, row, factor);
                carried = factor * static_cast<float>(sumBefore[row * kBlockOf<S>]);
            }
            Exponentials(from + first, rows.used, highest, values);
            for (uint32_t at = 0; at < rows.used; ++at) {
                to[first + at] = static_cast<T>(values[at]);
            }
            const float own = SumOfRow(values);
            FillBlock(sums, row, updates ? carried + own : own);
            FillBlock(largest, row, highest);
        }
    });
}

template <bool updates, typename T, typename S>
void FlashCall(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
               const FlashOperands<T, S>& with, const AscendC::LocalTensor<uint8_t>* space,
               const AscendC::SoftMaxShapeInfo& shape, bool isNz,
               const AscendC::SoftmaxConfig& config, CallSite where) {
    ASCENDSIM_DTYPES("SoftmaxFlashV2", T, half, float);
    Rows rows{};
    {
        const VectorCall call{"SoftmaxFlashV2", where};
        rows = SoftMaxRows<T>(shape, isNz, config, call);
        CheckSpaceApart(space, src, BytesOf<T>(rows), call);
        CheckSpaceApart(space, dst, BytesOf<T>(rows), call);
        ClobberSpace(space, call);
        FlashOf<updates>(dst, src, with, rows, call);
    }
    LeaveRestUndefined(dst, rows, {"SoftmaxFlashV2", where});
    LeaveSpaceUndefined(space, {"SoftmaxFlashV2", where});
}

}  // namespace ascendsim

// Defines SoftmaxFlashV2 for results of dtype Element with sums and maxima of dtype Value, with a
// working space of the kernel's and without. Without isUpdate the last two tensors and expMax are
// not looked at; sums may replace the sums before, and maxima the maxima before.
#define ASCENDSIM_SOFTMAX_FLASH(Element, Value)                                                    \
    template <typename T, bool isUpdate = false, bool isReuseSource = false,                       \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                              \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                   \
    void SoftmaxFlashV2(const LocalTensor<Element>& dst, const LocalTensor<Value>& expSum,         \
                        const LocalTensor<Value>& max, const LocalTensor<Element>& src,            \
                        const LocalTensor<Element>& expMax, const LocalTensor<Value>& inExpSum,    \
                        const LocalTensor<Value>& inMax, const SoftMaxTiling&,                     \
                        const SoftMaxShapeInfo& shape = {},                                        \
                        ascendsim::CallSite where = ascendsim::CallSite::current()) {              \
        const ascendsim::FlashOperands<Element, Value> with{expSum, max, expMax, inExpSum, inMax}; \
        ascendsim::FlashCall<isUpdate>(dst, src, with, nullptr, shape, isDataFormatNZ, config,     \
                                       where);                                                     \
    }                                                                                              \
    template <typename T, bool isUpdate = false, bool isReuseSource = false,                       \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                              \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                   \
    void SoftmaxFlashV2(const LocalTensor<Element>& dst, const LocalTensor<Value>& expSum,         \
                        const LocalTensor<Value>& max, const LocalTensor<Element>& src,            \
                        const LocalTensor<Element>& expMax, const LocalTensor<Value>& inExpSum,    \
                        const LocalTensor<Value>& inMax,                                           \
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling&,         \
                        const SoftMaxShapeInfo& shape = {},                                        \
                        ascendsim::CallSite where = ascendsim::CallSite::current()) {              \
        const ascendsim::FlashOperands<Element, Value> with{expSum, max, expMax, inExpSum, inMax}; \
        ascendsim::FlashCall<isUpdate>(dst, src, with, &sharedTmpBuffer, shape, isDataFormatNZ,    \
                                       config, where);                                             \
    }

namespace AscendC {

ASCENDSIM_SOFTMAX_FLASH(T, T)
ASCENDSIM_SOFTMAX_FLASH(half, float)

}  // namespace AscendC
