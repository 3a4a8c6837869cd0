// One element from dtype to dtype, per rounding mode.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../../engine/schedule/core.h"
#include "cast_table.h"
#include "narrowing.h"
#include "sixteen_bit.h"

namespace ascendsim {

template <RoundMode mode>
float RoundToIntegral(float value) {
    switch (mode) {
        case RoundMode::CAST_FLOOR:
            return std::floor(value);
        case RoundMode::CAST_CEIL:
            return std::ceil(value);
        case RoundMode::CAST_ROUND:
            return std::round(value);
        case RoundMode::CAST_TRUNC:
            return std::trunc(value);
        default:
            return std::nearbyint(value);
    }
}

// Saturates; NaN becomes 0.
template <typename Integer>
Integer ToInteger(float integral) {
    using Limits = std::numeric_limits<Integer>;
    // One above the largest number is a power of two, and so a float.
    constexpr float kEnd = 2.0f * static_cast<float>(Limits::max() / 2 + 1);
    if (integral != integral) {
        return 0;
    }
    if (integral >= kEnd) {
        return Limits::max();
    }
    return integral < static_cast<float>(Limits::min()) ? Limits::min()
                                                        : static_cast<Integer>(integral);
}

template <typename Dst, typename Src>
Dst Saturated(Src value) {
    if constexpr (sizeof(Dst) >= sizeof(Src)) {
        return value;
    } else {
        constexpr Src kMost = std::numeric_limits<Dst>::max();
        constexpr Src kLeast = std::numeric_limits<Dst>::min();
        return static_cast<Dst>(value > kMost ? kMost : value < kLeast ? kLeast : value);
    }
}

template <RoundMode mode, typename Integer>
float IntegerToFloat(Integer value) {
    using Bits = std::make_unsigned_t<Integer>;
    const bool negative = value < 0;
    const auto bits = static_cast<Bits>(value);
    const uint64_t magnitude = negative ? static_cast<Bits>(Bits{0} - bits) : bits;
    const int width = std::bit_width(magnitude);
    if (width <= 24) {
        return static_cast<float>(value);
    }
    const int dropped = width - 24;
    const uint64_t rest = magnitude & ((uint64_t{1} << dropped) - 1);
    // Rounding asks only on which side of the middle the rest lies.
    const uint64_t middle = uint64_t{1} << (dropped - 1);
    const uint32_t side = rest == 0 ? 0 : rest < middle ? 1 : rest == middle ? 2 : 3;
    auto kept = static_cast<uint32_t>(magnitude >> dropped);
    kept += RoundsUp<mode>(negative, kept, side, 2);
    const float result = std::ldexp(static_cast<float>(kept), dropped);
    return negative ? -result : result;
}

// value * scale, rounded once to half: the product is exact in double, and what float cannot hold
// of it is kept in its last bit.
inline half Dequantized(int32_t value, float scale) {
    const double exact = static_cast<double>(value) * static_cast<double>(scale);
    const auto nearest = static_cast<float>(exact);
    if (static_cast<double>(nearest) == exact) {
        return half(nearest);
    }
    auto bits = std::bit_cast<uint32_t>(nearest);
    bits -= std::fabs(static_cast<double>(nearest)) > std::fabs(exact) ? 1 : 0;
    return half(std::bit_cast<float>(bits | 1u));
}

template <RoundMode mode>
half ToHalf(float value) {
    if constexpr (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) {
        return half(value);
    } else {
        return std::bit_cast<half>(Narrow<HalfFormat, mode>(value));
    }
}

template <RoundMode mode>
bfloat16_t ToBfloat(float value) {
    if constexpr (mode == RoundMode::CAST_RINT) {
        return bfloat16_t(value);
    } else {
        return std::bit_cast<bfloat16_t>(Narrow<BfloatFormat, mode>(value));
    }
}

// Src to Dst in a mode that kCastModes has.
template <typename Dst, RoundMode mode, typename Src>
Dst Convert(Src value) {
    constexpr bool kFromInteger = std::is_integral_v<Src>;
    if constexpr (std::is_integral_v<Dst>) {
        if constexpr (kFromInteger) {
            return Saturated<Dst>(value);
        } else {
            return ToInteger<Dst>(RoundToIntegral<mode>(static_cast<float>(value)));
        }
    } else if constexpr (std::is_same_v<Dst, float>) {
        if constexpr (kFromInteger) {
            return IntegerToFloat<mode>(value);
        } else if constexpr (std::is_same_v<Src, float>) {
            return RoundToIntegral<mode>(value);
        } else {
            return static_cast<float>(value);
        }
    } else if constexpr (std::is_same_v<Src, int32_t>) {
        return Dequantized(value, CurrentCore().registers.deqScale);
    } else if constexpr (std::is_same_v<Dst, half>) {
        return ToHalf<mode>(static_cast<float>(value));  // exact for integers of 16 bits
    } else {
        return ToBfloat<mode>(value);
    }
}

}  // namespace ascendsim
