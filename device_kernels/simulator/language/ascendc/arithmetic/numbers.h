// What the vector unit computes of one or two elements.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "sixteen_bit.h"

namespace ascendsim {

// Integers keep their low bits.
template <typename T>
T Sum(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint32_t>(left) + static_cast<uint32_t>(right));
    } else {
        return left + right;
    }
}

template <typename T>
T Difference(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint32_t>(left) - static_cast<uint32_t>(right));
    } else {
        return left - right;
    }
}

template <typename T>
T Product(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint32_t>(left) * static_cast<uint32_t>(right));
    } else {
        return left * right;
    }
}

template <typename T>
T Larger(T left, T right) {
    return right > left ? right : left;
}

template <typename T>
T Smaller(T left, T right) {
    return right < left ? right : left;
}

template <typename T>
T Magnitude(T value) {
    return static_cast<T>(std::fabs(static_cast<float>(value)));
}

template <typename T>
T BitsOfBoth(T left, T right) {
    return static_cast<T>(left & right);
}

template <typename T>
T BitsOfEither(T left, T right) {
    return static_cast<T>(left | right);
}

template <typename T>
T FlippedBits(T value) {
    return static_cast<T>(~value);
}

// A signed number keeps its sign bit and loses the bits below it.
template <typename T>
T ShiftedLeft(T value, T places) {
    using Bits = std::make_unsigned_t<T>;
    constexpr uint32_t kWidth = 8 * sizeof(T);
    const auto distance = static_cast<Bits>(places);
    const auto bits = static_cast<Bits>(value);
    const auto shifted = static_cast<Bits>(distance >= kWidth ? 0 : uint64_t{bits} << distance);
    if constexpr (std::is_signed_v<T>) {
        constexpr auto kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
        return static_cast<T>((bits & kSign) | (shifted & static_cast<Bits>(~kSign)));
    } else {
        return shifted;
    }
}

}  // namespace ascendsim
