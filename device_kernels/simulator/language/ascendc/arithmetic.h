// Add, Adds and Muls: arithmetic of one rounding per element, on the dtypes of the vector unit.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dtype_table.h"
#include "lane_overlap.h"
#include "repeat.h"
#include "sixteen_bit.h"
#include "vector_operand.h"

#define ASCENDSIM_ARITHMETIC_DTYPES(function, T) \
    ASCENDSIM_DTYPES(function, T, half, float, int16_t, int32_t)

namespace ascendsim {

// Integers keep their low bits.
template <typename T>
T Sum(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint32_t>(left) + static_cast<uint32_t>(right));
    } else {
        return left + right;
    }
}

template <typename T>
T Product(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint32_t>(left) * static_cast<uint32_t>(right));
    } else {
        return left * right;
    }
}

template <typename T, typename Function>
void BinaryCount(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<T>& src1, int32_t count, const VectorCall& call,
                 Function function) {
    const uint32_t elements = CheckCount(count, call);
    T* to = VectorOperand(dst, elements, call);
    const T* left = VectorOperand(src0, elements, call);
    const T* right = VectorOperand(src1, elements, call);
    CheckOverlap(dst, src0, elements, call);
    CheckOverlap(dst, src1, elements, call);
    ForEachElement(elements, [=](uint32_t i) { to[i] = function(left[i], right[i]); });
}

template <typename T, typename Function>
void BinaryLanes(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<T>& src1, LaneMask mask, RepeatTimes repeats,
                 const AscendC::BinaryRepeatParams& strides, const VectorCall& call,
                 Function function) {
    const Lanes lanes(mask, repeats, kRepeatBytes / sizeof(T), call);
    const auto toLayout = LayoutOf<T>(strides.dstBlkStride, strides.dstRepStride);
    const auto leftLayout = LayoutOf<T>(strides.src0BlkStride, strides.src0RepStride);
    const auto rightLayout = LayoutOf<T>(strides.src1BlkStride, strides.src1RepStride);
    T* to = VectorOperand(dst, lanes.Extent(toLayout), call);
    const T* left = VectorOperand(src0, lanes.Extent(leftLayout), call);
    const T* right = VectorOperand(src1, lanes.Extent(rightLayout), call);
    CheckLaneOverlap(dst, toLayout, src0, leftLayout, lanes, call);
    CheckLaneOverlap(dst, toLayout, src1, rightLayout, lanes, call);
    lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
        to[toLayout.Offset(repeat, lane)] = function(left[leftLayout.Offset(repeat, lane)],
                                                     right[rightLayout.Offset(repeat, lane)]);
    });
}

template <typename T, typename Function>
void UnaryCount(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                int32_t count, const VectorCall& call, Function function) {
    const uint32_t elements = CheckCount(count, call);
    T* to = VectorOperand(dst, elements, call);
    const T* from = VectorOperand(src, elements, call);
    CheckOverlap(dst, src, elements, call);
    ForEachElement(elements, [=](uint32_t i) { to[i] = function(from[i]); });
}

// Dst and Src differ for Cast only: then the wider one gives the lanes of a repeat.
template <typename Dst, typename Src, typename Function>
void UnaryLanes(const AscendC::LocalTensor<Dst>& dst, const AscendC::LocalTensor<Src>& src,
                LaneMask mask, RepeatTimes repeats, const AscendC::UnaryRepeatParams& strides,
                const VectorCall& call, Function function) {
    constexpr uint32_t kWidest = sizeof(Dst) > sizeof(Src) ? sizeof(Dst) : sizeof(Src);
    const Lanes lanes(mask, repeats, kRepeatBytes / kWidest, call);
    const auto toLayout = LayoutOf<Dst>(strides.dstBlkStride, strides.dstRepStride);
    const auto fromLayout = LayoutOf<Src>(strides.srcBlkStride, strides.srcRepStride);
    Dst* to = VectorOperand(dst, lanes.Extent(toLayout), call);
    const Src* from = VectorOperand(src, lanes.Extent(fromLayout), call);
    CheckLaneOverlap(dst, toLayout, src, fromLayout, lanes, call);
    lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
        to[toLayout.Offset(repeat, lane)] = function(from[fromLayout.Offset(repeat, lane)]);
    });
}

}  // namespace ascendsim

namespace AscendC {

// dst[i] = src0[i] + src1[i].
template <typename T>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         int32_t count, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ARITHMETIC_DTYPES("Add", T);
    ascendsim::BinaryCount(dst, src0, src1, count, {"Add", where},
                           [](T left, T right) { return ascendsim::Sum(left, right); });
}

template <typename T, bool isSetMask = true>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
         const BinaryRepeatParams& repeatParams,
         ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ARITHMETIC_DTYPES("Add", T);
    ASCENDSIM_OWN_MASK(isSetMask);
    ascendsim::BinaryLanes(dst, src0, src1, mask, repeatTime, repeatParams, {"Add", where},
                           [](T left, T right) { return ascendsim::Sum(left, right); });
}

// dst[i] = src[i] + scalar.
template <typename T, bool isSetMask = true>
void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, int32_t count,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ARITHMETIC_DTYPES("Adds", T);
    ASCENDSIM_OWN_MASK(isSetMask);
    ascendsim::UnaryCount(dst, src, count, {"Adds", where},
                          [scalar](T value) { return ascendsim::Sum(value, scalar); });
}

template <typename T, bool isSetMask = true>
void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar,
          ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
          const UnaryRepeatParams& repeatParams,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ARITHMETIC_DTYPES("Adds", T);
    ASCENDSIM_OWN_MASK(isSetMask);
    ascendsim::UnaryLanes(dst, src, mask, repeatTime, repeatParams, {"Adds", where},
                          [scalar](T value) { return ascendsim::Sum(value, scalar); });
}

// dst[i] = src[i] * scalar.
template <typename T, bool isSetMask = true>
void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, int32_t count,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ARITHMETIC_DTYPES("Muls", T);
    ASCENDSIM_OWN_MASK(isSetMask);
    ascendsim::UnaryCount(dst, src, count, {"Muls", where},
                          [scalar](T value) { return ascendsim::Product(value, scalar); });
}

template <typename T, bool isSetMask = true>
void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar,
          ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
          const UnaryRepeatParams& repeatParams,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ARITHMETIC_DTYPES("Muls", T);
    ASCENDSIM_OWN_MASK(isSetMask);
    ascendsim::UnaryLanes(dst, src, mask, repeatTime, repeatParams, {"Muls", where},
                          [scalar](T value) { return ascendsim::Product(value, scalar); });
}

}  // namespace AscendC
