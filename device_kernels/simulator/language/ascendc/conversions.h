// One element from dtype to dtype, per rounding mode, and which pairs and modes Cast has.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "narrowing.h"
#include "sixteen_bit.h"

namespace ascendsim {

using AscendC::RoundMode;

constexpr uint32_t ModeBit(RoundMode mode) { return 1u << static_cast<uint32_t>(mode); }

inline constexpr uint32_t kExact = ModeBit(RoundMode::CAST_NONE);
inline constexpr uint32_t kRounding =
    ModeBit(RoundMode::CAST_RINT) | ModeBit(RoundMode::CAST_FLOOR) | ModeBit(RoundMode::CAST_CEIL) |
    ModeBit(RoundMode::CAST_ROUND) | ModeBit(RoundMode::CAST_TRUNC);

// The modes of Cast from Src to Dst on Ascend910B; 0: there is no such Cast in the model.
template <typename Dst, typename Src>
inline constexpr uint32_t kCastModes = 0;
template <>
inline constexpr uint32_t kCastModes<float, half> = kExact;
template <>
inline constexpr uint32_t kCastModes<float, bfloat16_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<half, float> =
    kExact | kRounding | ModeBit(RoundMode::CAST_ODD);
template <>
inline constexpr uint32_t kCastModes<bfloat16_t, float> = kRounding;
template <>
inline constexpr uint32_t kCastModes<float, float> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int32_t, float> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int32_t, half> = kRounding;
template <>
inline constexpr uint32_t kCastModes<float, int32_t> = kExact | kRounding;

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
inline int32_t ToInt32(float integral) {
    constexpr float kEnd = 2147483648.0f;
    if (integral != integral) {
        return 0;
    }
    if (integral >= kEnd) {
        return std::numeric_limits<int32_t>::max();
    }
    return integral < -kEnd ? std::numeric_limits<int32_t>::min() : static_cast<int32_t>(integral);
}

template <RoundMode mode>
float ToFloat(int32_t value) {
    const bool negative = value < 0;
    const uint32_t magnitude =
        negative ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
    const int width = std::bit_width(magnitude);
    if (width <= 24) {
        return static_cast<float>(value);
    }
    const int dropped = width - 24;
    uint32_t kept = magnitude >> dropped;
    kept += RoundsUp<mode>(negative, kept, magnitude & ((1u << dropped) - 1), 1u << (dropped - 1));
    const float result = static_cast<float>(kept) * static_cast<float>(1u << dropped);
    return negative ? -result : result;
}

// Src to Dst in a mode that kCastModes has.
template <typename Dst, typename Src, RoundMode mode>
struct Conversion;

template <RoundMode mode>
struct Conversion<float, half, mode> {
    static float Of(half value) { return float(value); }
};
template <RoundMode mode>
struct Conversion<float, bfloat16_t, mode> {
    static float Of(bfloat16_t value) { return float(value); }
};
template <RoundMode mode>
struct Conversion<half, float, mode> {
    static half Of(float value) {
        if constexpr (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) {
            return half(value);
        } else {
            return std::bit_cast<half>(Narrow<HalfFormat, mode>(value));
        }
    }
};
template <RoundMode mode>
struct Conversion<bfloat16_t, float, mode> {
    static bfloat16_t Of(float value) {
        if constexpr (mode == RoundMode::CAST_RINT) {
            return bfloat16_t(value);
        } else {
            return std::bit_cast<bfloat16_t>(Narrow<BfloatFormat, mode>(value));
        }
    }
};
template <RoundMode mode>
struct Conversion<float, float, mode> {
    static float Of(float value) { return RoundToIntegral<mode>(value); }
};
template <RoundMode mode>
struct Conversion<int32_t, float, mode> {
    static int32_t Of(float value) { return ToInt32(RoundToIntegral<mode>(value)); }
};
template <RoundMode mode>
struct Conversion<int32_t, half, mode> {
    static int32_t Of(half value) { return ToInt32(RoundToIntegral<mode>(float(value))); }
};
template <RoundMode mode>
struct Conversion<float, int32_t, mode> {
    static float Of(int32_t value) { return ToFloat<mode>(value); }
};

}  // namespace ascendsim
