// fp32 to and from the two 16-bit floating formats, as integers, portable and exact.
#pragma once

#include <bit>
#include <cstdint>

#include "../vocabulary/enumerations.h"

namespace ascendsim {

// What fp32 beyond the largest 16-bit number becomes under a rounding to nearest. A device setting
// on hardware; the model's devices are all set to kCastOverflow.
enum class CastOverflow : uint8_t { Infinity, Saturate };
inline constexpr CastOverflow kCastOverflow = CastOverflow::Infinity;

// IEEE binary16 and bfloat16, by their bits of exponent and stored mantissa.
struct HalfFormat {
    static constexpr uint32_t kMantissa = 10;
    static constexpr uint32_t kExponent = 5;
};
struct BfloatFormat {
    static constexpr uint32_t kMantissa = 7;
    static constexpr uint32_t kExponent = 8;
};

// `chosen` where the condition holds, else `other`. Written with a mask because compilers turn ?:
// on the results of float operations into branches, and then leave loops scalar.
constexpr uint32_t Select(bool condition, uint32_t chosen, uint32_t other) {
    const uint32_t mask = 0u - static_cast<uint32_t>(condition);
    return (chosen & mask) | (other & ~mask);
}

// The four conversions below are always inlined: a loop that calls them is scalar, and whether a
// compiler inlines by itself depends on how many places of a library use them.
#define ASCENDSIM_IN_LOOPS [[gnu::always_inline]] inline

// binary16 to fp32: exact, NaN payloads kept.
ASCENDSIM_IN_LOOPS float WidenHalf(uint16_t bits) {
    constexpr uint32_t kRebias = (127u - 15u) << 23;
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFFu) << 13;
    const uint32_t exponent = magnitude & 0x0F800000u;
    const uint32_t normal = magnitude + kRebias + Select(exponent == 0x0F800000u, kRebias, 0);
    // A subnormal is mantissa * 2^-24: 2^-14 is put before it and then taken away, exactly.
    const float shifted = std::bit_cast<float>(magnitude + kRebias + (1u << 23));
    const auto subnormal = std::bit_cast<uint32_t>(shifted - std::bit_cast<float>(113u << 23));
    return std::bit_cast<float>(Select(exponent == 0, subnormal, normal) | sign);
}

ASCENDSIM_IN_LOOPS float WidenBfloat(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// fp32 to binary16, to nearest even, overflow to infinity. Without branches: loops vectorise.
ASCENDSIM_IN_LOOPS uint16_t NarrowHalfNearest(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits & 0x80000000u;
    const uint32_t magnitude = bits ^ sign;
    const uint32_t normal =
        (magnitude - ((127u - 15u) << 23) + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
    // Adding 0.5 puts the last bit of a binary16 subnormal, 2^-24, at the last bit of the sum.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    const uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - 0x3F000000u;
    const uint32_t finite = Select(magnitude < (113u << 23), subnormal, normal);
    const uint32_t quiet = 0x7E00u | ((magnitude >> 13) & 0x3FFu);
    const uint32_t special = Select(magnitude > 0x7F800000u, quiet, 0x7C00u);
    const uint32_t result = Select(magnitude >= (143u << 23), special, finite);
    return static_cast<uint16_t>(result | (sign >> 16));
}

// fp32 to bfloat16, to nearest even, overflow to infinity.
ASCENDSIM_IN_LOOPS uint16_t NarrowBfloatNearest(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = bits + 0x7FFFu + ((bits >> 16) & 1u);
    const uint32_t quiet = bits | 0x00400000u;
    const bool isNan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
    return static_cast<uint16_t>(Select(isNan, quiet, rounded) >> 16);
}

#undef ASCENDSIM_IN_LOOPS

// Whether the magnitude kept/2^n with the given remainder is rounded up.
template <AscendC::RoundMode mode>
constexpr bool RoundsUp(bool negative, uint32_t kept, uint32_t remainder, uint32_t halfway) {
    using AscendC::RoundMode;
    switch (mode) {
        case RoundMode::CAST_FLOOR:
            return negative && remainder != 0;
        case RoundMode::CAST_CEIL:
            return !negative && remainder != 0;
        case RoundMode::CAST_ROUND:
            return remainder >= halfway;
        case RoundMode::CAST_TRUNC:
            return false;
        case RoundMode::CAST_ODD:
            return remainder != 0 && (kept & 1u) == 0;
        case RoundMode::CAST_NONE:
        case RoundMode::CAST_RINT:
            return remainder > halfway || (remainder == halfway && (kept & 1u) != 0);
    }
    return false;
}

// fp32 to a 16-bit format in any mode. Directed modes never round to infinity: only values whose
// rounding in an unbounded exponent range lies beyond the format's end do.
template <typename Format, AscendC::RoundMode mode, CastOverflow overflow = kCastOverflow>
constexpr uint16_t Narrow(float value) {
    constexpr uint32_t kDropped = 23 - Format::kMantissa;
    constexpr uint32_t kBias = (1u << (Format::kExponent - 1)) - 1;
    constexpr uint32_t kInfinity = ((1u << Format::kExponent) - 1) << Format::kMantissa;
    const auto bits = std::bit_cast<uint32_t>(value);
    const bool negative = (bits >> 31) != 0;
    const uint32_t sign = negative ? 0x8000u : 0u;
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        const uint32_t payload = (magnitude & 0x7FFFFFu) >> kDropped;
        return static_cast<uint16_t>(sign | kInfinity | (1u << (Format::kMantissa - 1)) | payload);
    }
    if (magnitude == 0x7F800000u) {
        return static_cast<uint16_t>(sign | kInfinity);
    }
    const uint32_t biased = magnitude >> 23;
    const uint32_t significand = (magnitude & 0x7FFFFFu) | (biased != 0 ? 1u << 23 : 0u);
    const int32_t exponent = static_cast<int32_t>(biased != 0 ? biased : 1) - 127 +
                             static_cast<int32_t>(kBias);  // biased, in the new format
    const uint32_t shift = kDropped + (exponent < 1 ? static_cast<uint32_t>(1 - exponent) : 0u);
    const uint32_t capped = shift > 26 ? 26 : shift;  // beyond, only "not zero" is left to know
    uint32_t kept = significand >> capped;
    kept += RoundsUp<mode>(negative, kept, significand & ((1u << capped) - 1), 1u << (capped - 1));
    // The implicit bit carries into the exponent field, as does a rounding to the next power of 2.
    const uint32_t result =
        exponent < 1 ? kept : (static_cast<uint32_t>(exponent - 1) << Format::kMantissa) + kept;
    if (result < kInfinity) {
        return static_cast<uint16_t>(sign | result);
    }
    using AscendC::RoundMode;
    const bool towardsZero = mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ODD ||
                             (mode == RoundMode::CAST_FLOOR && !negative) ||
                             (mode == RoundMode::CAST_CEIL && negative);
    const bool saturates = towardsZero || overflow == CastOverflow::Saturate;
    return static_cast<uint16_t>(sign | (saturates ? kInfinity - 1 : kInfinity));
}

}  // namespace ascendsim
