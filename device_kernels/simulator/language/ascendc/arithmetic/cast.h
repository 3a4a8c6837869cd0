// Cast: elements of one dtype to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../engine/schedule/core.h"
#include "cast_table.h"
#include "conversions.h"
#include "elementwise.h"

namespace ascendsim {

inline const char* RoundModeName(RoundMode mode) {
    constexpr const char* kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                      "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
    const auto index = static_cast<size_t>(mode);
    return index < sizeof kNames / sizeof *kNames ? kNames[index] : "an unknown RoundMode";
}

// Stops at a Cast whose pair of dtypes lacks its mode.
inline void RefuseMode(RoundMode mode, const VectorCall& call) {
    Stop(Code::CastMode, {call.where, "V"}, "Cast between these dtypes has no mode %s",
         RoundModeName(mode));
}

// Calls `body.operator()<mode>()` for a mode that is known at run time only; false: the pair lacks
// it.
template <typename Dst, typename Src, typename Body>
bool WithMode(RoundMode mode, Body body) {
    return [&]<size_t... index>(std::index_sequence<index...>) {
        const auto attempt = [&]<size_t candidate>() {
            if constexpr ((kCastModes<Dst, Src> >> candidate & 1) != 0) {
                if (static_cast<size_t>(mode) == candidate) {
                    body.template operator()<static_cast<RoundMode>(candidate)>();
                    return true;
                }
            }
            return false;
        };
        return (attempt.template operator()<index>() || ...);
    }(std::make_index_sequence<7>());
}

// to[i] = from[i] in Dst's dtype, for each element; false: the pair lacks the mode. Compiled once,
// with the engine: kernels would else consist of these loops by a tenth.
#define ASCENDSIM_CONVERT_ALL(Dst, Src, modes) \
    bool ConvertAll(Dst* to, const Src* from, uint32_t count, RoundMode mode);
ASCENDSIM_CASTS(ASCENDSIM_CONVERT_ALL)
#undef ASCENDSIM_CONVERT_ALL

}  // namespace ascendsim

#define ASCENDSIM_CAST_DTYPES(Dst, Src)                 \
    static_assert(ascendsim::kCastModes<Dst, Src> != 0, \
                  "Cast does not join these dtypes on Ascend910B; mostly they meet in float")

namespace AscendC {

// What Cast of int32_t to half multiplies by.
inline void SetDeqScale(half scale) {
    ascendsim::CurrentCore().registers.deqScale = static_cast<float>(scale);
}

// dst[i] = src[i] in dst's dtype. Widening in place is right only from the upper half of a buffer.
template <typename Dst, typename Src>
void Cast(const LocalTensor<Dst>& dst, const LocalTensor<Src>& src, const RoundMode& roundMode,
          uint32_t count, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_CAST_DTYPES(Dst, Src);
    const ascendsim::VectorCall call{"Cast", where};
    Dst* to = ascendsim::VectorOperand(dst, count, call);
    const Src* from = ascendsim::VectorOperand(src, count, call);
    ascendsim::CheckOverlap(dst, src, count, call);
    if (!ascendsim::WithMode<Dst, Src>(roundMode, []<ascendsim::RoundMode>() {})) {
        ascendsim::RefuseMode(roundMode, call);
    }
    call.Perform([=, mode = roundMode] { ascendsim::ConvertAll(to, from, count, mode); });
}

template <typename Dst, typename Src, bool isSetMask = true>
void Cast(const LocalTensor<Dst>& dst, const LocalTensor<Src>& src, const RoundMode& roundMode,
          ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
          const UnaryRepeatParams& repeatParams,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_CAST_DTYPES(Dst, Src);
    const ascendsim::VectorCall call{"Cast", where};
    if (!ascendsim::WithMode<Dst, Src>(roundMode, [&]<RoundMode mode>() {
            ascendsim::UnaryLanes<isSetMask>(
                dst, src, mask, repeatTime, repeatParams, call,
                [](Src value) { return ascendsim::Convert<Dst, mode>(value); });
        })) {
        ascendsim::RefuseMode(roundMode, call);
    }
}

}  // namespace AscendC
