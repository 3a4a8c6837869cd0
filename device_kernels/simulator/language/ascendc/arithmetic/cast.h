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

// Calls `body.operator()<mode>()` for the mode that is known at run time only, among `allowed`.
template <uint32_t allowed, typename Body>
void WithMode(RoundMode mode, const VectorCall& call, Body body) {
    const bool found = [&]<size_t... index>(std::index_sequence<index...>) {
        const auto attempt = [&]<size_t candidate>() {
            if constexpr ((allowed >> candidate & 1) != 0) {
                if (static_cast<size_t>(mode) == candidate) {
                    body.template operator()<static_cast<RoundMode>(candidate)>();
                    return true;
                }
            }
            return false;
        };
        return (attempt.template operator()<index>() || ...);
    }(std::make_index_sequence<7>());
    if (!found) {
        Stop(Code::CastMode, {call.where, "V"}, "Cast between these dtypes has no mode %s",
             RoundModeName(mode));
    }
}

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
    ascendsim::WithMode<ascendsim::kCastModes<Dst, Src>>(roundMode, call, [&]<RoundMode mode>() {
        ascendsim::ForEachElement(
            count, [to, from](uint32_t i) { to[i] = ascendsim::Convert<Dst, mode>(from[i]); });
    });
}

template <typename Dst, typename Src, bool isSetMask = true>
void Cast(const LocalTensor<Dst>& dst, const LocalTensor<Src>& src, const RoundMode& roundMode,
          ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
          const UnaryRepeatParams& repeatParams,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_CAST_DTYPES(Dst, Src);
    const ascendsim::VectorCall call{"Cast", where};
    ascendsim::WithMode<ascendsim::kCastModes<Dst, Src>>(roundMode, call, [&]<RoundMode mode>() {
        ascendsim::UnaryLanes<isSetMask>(
            dst, src, mask, repeatTime, repeatParams, call,
            [](Src value) { return ascendsim::Convert<Dst, mode>(value); });
    });
}

}  // namespace AscendC
