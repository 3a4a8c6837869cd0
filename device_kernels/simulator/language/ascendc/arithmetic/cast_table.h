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

// Every Cast that there is, as X(Dst, Src, its modes). That of int32_t to half goes by SetDeqScale:
// the mode has no effect.
#define ASCENDSIM_CASTS(X)                \
    X(float, half, kExact)                \
    X(float, bfloat16_t, kExact)          \
    X(float, int16_t, kExact)             \
    X(float, int32_t, kExact | kRounding) \
    X(float, int64_t, kRounding)          \
    X(float, float, kRounding)            \
    X(half, float, kEvery)                \
    X(half, int8_t, kExact)               \
    X(half, uint8_t, kExact)              \
    X(half, int16_t, kExact | kRounding)  \
    X(half, int32_t, kEvery)              \
    X(bfloat16_t, float, kRounding)       \
    X(int8_t, half, kExact | kRounding)   \
    X(uint8_t, half, kExact | kRounding)  \
    X(int16_t, half, kRounding)           \
    X(int16_t, float, kRounding)          \
    X(int16_t, int32_t, kExact)           \
    X(int32_t, half, kRounding)           \
    X(int32_t, bfloat16_t, kRounding)     \
    X(int32_t, float, kRounding)          \
    X(int32_t, int64_t, kExact)           \
    X(int64_t, float, kRounding)          \
    X(int64_t, int32_t, kExact)

// The modes of Cast from Src to Dst; 0: there is no such Cast.
template <typename Dst, typename Src>
inline constexpr uint32_t kCastModes = 0;
#define ASCENDSIM_CAST_MODES(Dst, Src, modes) \
    template <>                               \
    inline constexpr uint32_t kCastModes<Dst, Src> = modes;
ASCENDSIM_CASTS(ASCENDSIM_CAST_MODES)
#undef ASCENDSIM_CAST_MODES

}  // namespace ascendsim
