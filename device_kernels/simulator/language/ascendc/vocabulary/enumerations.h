// Positions, pipes, events and rounding modes: the names that kernels pass around.
#pragma once

#include <cstdint>

// Pipes of a vector core: S is the scalar unit, V the vector unit, MTE2 copies into UB and MTE3 out
// of it.
enum pipe_t { PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3, PIPE_ALL };

enum event_t : int8_t {
    EVENT_ID0,
    EVENT_ID1,
    EVENT_ID2,
    EVENT_ID3,
    EVENT_ID4,
    EVENT_ID5,
    EVENT_ID6,
    EVENT_ID7,
};

namespace AscendC {

using TEventID = int8_t;

// The logical positions of a vector core.
enum class TPosition : uint8_t { GM, VECIN, VECOUT, VECCALC, MAX };
using QuePosition = TPosition;

// X_Y orders pipe Y after pipe X. The engine's flags.cpp names them in this order.
enum class HardEvent : uint8_t {
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    V_V,
    MTE2_MTE3,
    MTE3_MTE2,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
};

enum class RoundMode : uint8_t {
    CAST_NONE,   // exact where the destination holds every value, else as CAST_RINT
    CAST_RINT,   // to nearest, ties to even
    CAST_FLOOR,  // towards minus infinity
    CAST_CEIL,   // towards plus infinity
    CAST_ROUND,  // to nearest, ties away from zero
    CAST_TRUNC,  // towards zero
    CAST_ODD,    // inexact values to the neighbour whose last bit is 1
};

}  // namespace AscendC
