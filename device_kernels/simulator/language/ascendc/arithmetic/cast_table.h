// Which pairs of dtypes Cast joins on Ascend910B, and in which rounding modes.
#pragma once

#include <cstdint>

#include "../vocabulary/enumerations.h"
#include "sixteen_bit.h"

namespace ascendsim {

using AscendC::RoundMode;

constexpr uint32_t ModeBit(RoundMode mode) { return 1u << static_cast<uint32_t>(mode); }

inline constexpr uint32_t kExact = ModeBit(RoundMode::CAST_NONE);
inline constexpr uint32_t kRounding =
    ModeBit(RoundMode::CAST_RINT) | ModeBit(RoundMode::CAST_FLOOR) | ModeBit(RoundMode::CAST_CEIL) |
    ModeBit(RoundMode::CAST_ROUND) | ModeBit(RoundMode::CAST_TRUNC);
inline constexpr uint32_t kEvery = kExact | kRounding | ModeBit(RoundMode::CAST_ODD);

// The modes of Cast from Src to Dst; 0: there is no such Cast.
template <typename Dst, typename Src>
inline constexpr uint32_t kCastModes = 0;

template <>
inline constexpr uint32_t kCastModes<float, half> = kExact;
template <>
inline constexpr uint32_t kCastModes<float, bfloat16_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<float, int16_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<float, int32_t> = kExact | kRounding;
template <>
inline constexpr uint32_t kCastModes<float, int64_t> = kRounding;
template <>
inline constexpr uint32_t kCastModes<float, float> = kRounding;

template <>
inline constexpr uint32_t kCastModes<half, float> = kEvery;
template <>
inline constexpr uint32_t kCastModes<half, int8_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<half, uint8_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<half, int16_t> = kExact | kRounding;
// By SetDeqScale: the mode has no effect.
template <>
inline constexpr uint32_t kCastModes<half, int32_t> = kEvery;

template <>
inline constexpr uint32_t kCastModes<bfloat16_t, float> = kRounding;

template <>
inline constexpr uint32_t kCastModes<int8_t, half> = kExact | kRounding;
template <>
inline constexpr uint32_t kCastModes<uint8_t, half> = kExact | kRounding;
template <>
inline constexpr uint32_t kCastModes<int16_t, half> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int16_t, float> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int16_t, int32_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<int32_t, half> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int32_t, bfloat16_t> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int32_t, float> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int32_t, int64_t> = kExact;
template <>
inline constexpr uint32_t kCastModes<int64_t, float> = kRounding;
template <>
inline constexpr uint32_t kCastModes<int64_t, int32_t> = kExact;

}  // namespace ascendsim
