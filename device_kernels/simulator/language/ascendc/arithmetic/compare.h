// Compare and CompareScalar: one bit for each element.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "elementwise.h"
#include "sixteen_bit.h"

namespace AscendC {

enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };

}  // namespace AscendC

namespace ascendsim {

template <typename T>
bool Compares(T left, T right, AscendC::CMPMODE mode) {
    using AscendC::CMPMODE;
    switch (mode) {
        case CMPMODE::LT:
            return left < right;
        case CMPMODE::GT:
            return left > right;
        case CMPMODE::EQ:
            return left == right;
        case CMPMODE::LE:
            return left <= right;
        case CMPMODE::GE:
            return left >= right;
        case CMPMODE::NE:
            return !(left == right);
    }
    return false;
}

template <typename T>
void CheckCompareMode(AscendC::CMPMODE mode, const VectorCall& call) {
    if (std::is_same_v<T, int32_t> && mode != AscendC::CMPMODE::EQ) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s of int32_t takes CMPMODE::EQ only",
             call.name);
    }
}

// The elements of a comparison by count: whole repeats only.
template <typename T>
uint32_t CompareCount(uint32_t count, const VectorCall& call) {
    if (count * sizeof(T) % kRepeatBytes != 0) {
        Stop(Code::ArgumentRange, {call.where, "V"},
             "%s with a count of %u, whose bytes are no multiple of 256", call.name, count);
    }
    return count;
}

// Writes `bits(i)` for `count` elements, the lowest bit of a byte first.
template <typename U, typename Bits>
void StoreBits(const AscendC::LocalTensor<U>& dst, uint32_t count, const VectorCall& call,
               Bits bits) {
    U* to = VectorOperand(dst, count / 8, call);
    call.Perform([=] {
        for (uint32_t byte = 0; byte < count / 8; ++byte) {
            uint32_t packed = 0;
            for (uint32_t bit = 0; bit < 8; ++bit) {
                packed |= static_cast<uint32_t>(bits(8 * byte + bit)) << bit;
            }
            to[byte] = static_cast<U>(packed);
        }
    });
}

// All lanes of all repeats, as a comparison ignores its mask.
template <typename T>
Lanes WholeRepeats(RepeatTimes repeats) {
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    return Lanes(FirstLanes(kLanes), repeats.Value(), kLanes);
}

}  // namespace ascendsim

#define ASCENDSIM_COMPARE_DTYPES(function, T, U)           \
    ASCENDSIM_DTYPES(function, T, half, float, int32_t);   \
    static_assert(ascendsim::kIsOneOf<U, uint8_t, int8_t>, \
                  function " stores its bits as uint8_t or int8_t")

namespace AscendC {

template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, uint32_t count,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COMPARE_DTYPES("Compare", T, U);
    const ascendsim::VectorCall call{"Compare", where};
    ascendsim::CheckCompareMode<T>(cmpMode, call);
    const uint32_t elements = ascendsim::CompareCount<T>(count, call);
    const T* left = ascendsim::VectorOperand(src0, elements, call).InUnits(8 * sizeof(T));
    const T* right = ascendsim::VectorOperand(src1, elements, call).InUnits(8 * sizeof(T));
    ascendsim::StoreBits(dst, elements, call, [=](uint32_t i) {
        return ascendsim::Compares(left[i], right[i], cmpMode);
    });
}

// The mask and the strides of dst have no effect: all lanes are compared, their bits are
// neighbours.
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
             const BinaryRepeatParams& repeatParams,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COMPARE_DTYPES("Compare", T, U);
    static_cast<void>(mask);
    const ascendsim::VectorCall call{"Compare", where};
    ascendsim::CheckCompareMode<T>(cmpMode, call);
    const auto lanes = ascendsim::WholeRepeats<T>(repeatTime);
    const auto leftLayout =
        ascendsim::LayoutOf<T>(repeatParams.src0BlkStride, repeatParams.src0RepStride);
    const auto rightLayout =
        ascendsim::LayoutOf<T>(repeatParams.src1BlkStride, repeatParams.src1RepStride);
    const T* left = ascendsim::VectorOperand(src0, lanes, leftLayout, call).InUnits(8 * sizeof(T));
    const T* right =
        ascendsim::VectorOperand(src1, lanes, rightLayout, call).InUnits(8 * sizeof(T));
    const uint32_t per = lanes.PerRepeat();
    ascendsim::StoreBits(dst, lanes.Repeats() * per, call, [=](uint32_t i) {
        return ascendsim::Compares(left[leftLayout.Offset(i / per, i % per)],
                                   right[rightLayout.Offset(i / per, i % per)], cmpMode);
    });
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,
                   CMPMODE cmpMode, uint32_t count,
                   ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COMPARE_DTYPES("CompareScalar", T, U);
    const ascendsim::VectorCall call{"CompareScalar", where};
    ascendsim::CheckCompareMode<T>(cmpMode, call);
    const uint32_t elements = ascendsim::CompareCount<T>(count, call);
    const T* left = ascendsim::VectorOperand(src0, elements, call).InUnits(8 * sizeof(T));
    ascendsim::StoreBits(dst, elements, call, [=](uint32_t i) {
        return ascendsim::Compares(left[i], src1Scalar, cmpMode);
    });
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,
                   CMPMODE cmpMode, ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
                   const UnaryRepeatParams& repeatParams,
                   ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COMPARE_DTYPES("CompareScalar", T, U);
    static_cast<void>(mask);
    const ascendsim::VectorCall call{"CompareScalar", where};
    ascendsim::CheckCompareMode<T>(cmpMode, call);
    const auto lanes = ascendsim::WholeRepeats<T>(repeatTime);
    const auto layout =
        ascendsim::LayoutOf<T>(repeatParams.srcBlkStride, repeatParams.srcRepStride);
    const T* left = ascendsim::VectorOperand(src0, lanes, layout, call).InUnits(8 * sizeof(T));
    const uint32_t per = lanes.PerRepeat();
    ascendsim::StoreBits(dst, lanes.Repeats() * per, call, [=](uint32_t i) {
        return ascendsim::Compares(left[layout.Offset(i / per, i % per)], src1Scalar, cmpMode);
    });
}

}  // namespace AscendC
