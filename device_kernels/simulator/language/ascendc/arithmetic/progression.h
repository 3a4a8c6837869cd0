// CreateVecIndex and ArithProgression: evenly spaced numbers.
#pragma once

#include <cstdint>

#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "numbers.h"
#include "sixteen_bit.h"

#define ASCENDSIM_PROGRESSION_DTYPES(function, T) \
    ASCENDSIM_DTYPES(function, T, half, float, int16_t, int32_t)

namespace ascendsim {

// first + step * index, each operation rounded to T.
template <typename T>
T Term(T first, T step, uint32_t index) {
    return Sum(first, Product(step, static_cast<T>(static_cast<int32_t>(index))));
}

// Element i of a progression as it is built on the device: the first 8 elements one by one, then
// blocks of 8 and of 64 by adding a multiple of the step to those.
template <typename T>
T ProgressionElement(T first, T step, uint32_t index) {
    const T start = Term(first, step, index % 8);
    const T inner = index % 64 < 8 ? start : Term(start, step, index % 64 / 8 * 8);
    return index < 64 ? inner : Term(inner, step, index / 64 * 64);
}

}  // namespace ascendsim

namespace AscendC {

// firstValue, firstValue + 1, ...
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, uint32_t count,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("CreateVecIndex", T);
    const ascendsim::VectorCall call{"CreateVecIndex", where};
    T* to = ascendsim::VectorOperand(dst, count, call);
    call.Perform([=] {
        ascendsim::ForEachElement(
            count, [=](uint32_t i) { to[i] = ascendsim::Term(firstValue, static_cast<T>(1), i); });
    });
}

// As if all lanes of all repeats were numbered, one repeat after the other.
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, ascendsim::LaneMask mask,
                    ascendsim::RepeatTimes repeatTime, ascendsim::Field<uint16_t> dstBlkStride,
                    ascendsim::Field<uint8_t> dstRepStride,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("CreateVecIndex", T);
    const ascendsim::VectorCall call{"CreateVecIndex", where};
    constexpr uint32_t kLanes = ascendsim::kRepeatBytes / sizeof(T);
    const auto lanes = ascendsim::ActiveLanes<true>(mask, repeatTime, kLanes, call);
    const auto layout = ascendsim::LayoutOf<T>(dstBlkStride, dstRepStride);
    T* to = ascendsim::VectorOperand(dst, lanes, layout, call);
    call.Perform([=] {
        lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
            to[layout.Offset(repeat, lane)] =
                ascendsim::Term(firstValue, static_cast<T>(1), repeat * kLanes + lane);
        });
    });
}

// firstValue, firstValue + diffValue, ...
template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                      int32_t count, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("ArithProgression", T);
    const ascendsim::VectorCall call{"ArithProgression", where};
    if (count < 1) {
        ascendsim::Stop(ascendsim::Code::ArgumentRange, {where, "V"},
                        "ArithProgression with a count of %d, at least 1", count);
    }
    const auto elements = static_cast<uint32_t>(count);
    T* to = ascendsim::VectorOperand(dst, elements, call);
    call.Perform([=] {
        ascendsim::ForEachElement(elements, [=](uint32_t i) {
            to[i] = ascendsim::ProgressionElement(firstValue, diffValue, i);
        });
    });
}

}  // namespace AscendC
