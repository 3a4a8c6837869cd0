// exp, ln, roots, division and reciprocal, as the machine's implementation of them computes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "../../engine/arithmetic/functions.h"
#include "../../engine/schedule/core.h"
#include "sixteen_bit.h"

namespace ascendsim {

// `exact`, which holds more bits than T, rounded once. By way of float a half would be rounded
// twice: what float loses is left in its last bit.
template <typename T>
T RoundedOnce(double exact) {
    const auto near = static_cast<float>(exact);
    if constexpr (std::is_same_v<T, half>) {
        auto bits = std::bit_cast<uint32_t>(near);
        if (std::fabs(double{near}) > std::fabs(exact)) {
            --bits;
        }
        bits |= static_cast<uint32_t>(double{std::bit_cast<float>(bits)} != exact);
        return std::isfinite(near) ? half(std::bit_cast<float>(bits)) : half(near);
    } else {
        return near;
    }
}

// `correct`, the rounded `exact`, that many places up on the grid of its dtype. A sign never
// changes and nothing becomes infinite. NaN and infinity stay as they are, and 0 if it is exact.
template <typename T>
T Moved(T correct, double exact, int32_t places) {
    using Bits = std::conditional_t<std::is_same_v<T, half>, uint16_t, uint32_t>;
    constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    constexpr auto kInfinity = static_cast<Bits>(std::is_same_v<T, half> ? 0x7C00u : 0x7F800000u);
    const auto bits = std::bit_cast<Bits>(correct);
    const auto magnitude = static_cast<Bits>(bits & ~kSign);
    if (exact == 0 || magnitude >= kInfinity) {
        return correct;
    }
    const int64_t outward = std::signbit(exact) ? -places : places;
    const int64_t moved = magnitude + outward;
    return moved < 0 || moved >= kInfinity
               ? correct
               : std::bit_cast<T>(static_cast<Bits>((bits & kSign) | static_cast<Bits>(moved)));
}

// What the running core's implementation of `function` makes of operands whose exact result is
// `exact`, or rounds to T as that does.
template <typename T>
T Computed(Function function, double exact, float left, float right = 0.0f) {
    const Functions functions = CurrentCore().functions;
    const T correct = RoundedOnce<T>(exact);
    if (functions == Functions::Flushed) {
        const auto value = static_cast<float>(correct);
        return std::fabs(value) < 0x1p-126f ? static_cast<T>(std::copysign(0.0f, value)) : correct;
    }
    return Moved(correct, exact, StepsOf(functions, function, left, right));
}

template <typename T>
T Exponential(T value) {
    const auto wide = static_cast<float>(value);
    return Computed<T>(Function::Exp, ExactExp(wide), wide);
}

template <typename T>
T Logarithm(T value) {
    const auto wide = static_cast<float>(value);
    return Computed<T>(Function::Ln, ExactLn(wide), wide);
}

// Doubles have so many more bits that their own roundings of square roots and quotients of floats
// do not show (2 * 24 + 2 <= 53).
template <typename T>
T SquareRoot(T value) {
    const auto wide = static_cast<float>(value);
    return Computed<T>(Function::Sqrt, std::sqrt(double{wide}), wide);
}

template <typename T>
T InverseRoot(T value) {
    const auto wide = static_cast<float>(value);
    return Computed<T>(Function::Rsqrt, ExactRsqrt(wide), wide);
}

template <typename T>
T Inverse(T value) {
    const auto wide = static_cast<float>(value);
    return Computed<T>(Function::Reciprocal, 1.0 / double{wide}, wide);
}

template <typename T>
T Quotient(T left, T right) {
    if (CurrentCore().functions == Functions::Rounded) {
        return left / right;
    }
    const auto over = static_cast<float>(left);
    const auto under = static_cast<float>(right);
    return Computed<T>(Function::Div, double{over} / double{under}, over, under);
}

}  // namespace ascendsim
