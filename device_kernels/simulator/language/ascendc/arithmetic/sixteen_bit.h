// half and bfloat16_t: storage of 16 bits with exact widening to float.
//
// Arithmetic on half goes through float and rounds once, to nearest even: for + - * / this is the
// correctly rounded result, since 24 >= 2 * 11 + 2. bfloat16_t has no arithmetic, as on the device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "narrowing.h"

class half {
public:
    half() = default;
    // As a built-in type of the device, it converts from and to every other number.
    template <typename Number>
        requires std::is_arithmetic_v<Number>
    half(Number value) : bits_(ascendsim::NarrowHalfNearest(static_cast<float>(value))) {}
    operator float() const { return ascendsim::WidenHalf(bits_); }

    friend half operator-(half value) { return half(-float(value)); }
    half& operator+=(half other) { return *this = half(float(*this) + float(other)); }
    half& operator-=(half other) { return *this = half(float(*this) - float(other)); }
    half& operator*=(half other) { return *this = half(float(*this) * float(other)); }
    half& operator/=(half other) { return *this = half(float(*this) / float(other)); }

private:
    uint16_t bits_;
};

namespace ascendsim {

// What half and `Other` are converted to before an operator: the wider one of two floating types,
// half for an integer.
template <typename Left, typename Right>
struct HalfOperands {};
template <>
struct HalfOperands<half, half> {
    using Common = half;
};
template <typename Other>
    requires std::is_arithmetic_v<Other>
struct HalfOperands<half, Other> {
    using Common = std::conditional_t<std::is_integral_v<Other>, half, Other>;
};
template <typename Other>
    requires std::is_arithmetic_v<Other>
struct HalfOperands<Other, half> : HalfOperands<half, Other> {};

template <typename Left, typename Right>
using HalfCommon = typename HalfOperands<Left, Right>::Common;

// Where both are half, float is the type of the operation and half that of its result.
template <typename Common>
using HalfWork = std::conditional_t<std::is_same_v<Common, half>, float, Common>;

}  // namespace ascendsim

#define ASCENDSIM_HALF_OPERATOR(symbol, Result)                                                    \
    template <typename Left, typename Right, typename Common = ascendsim::HalfCommon<Left, Right>> \
    Result operator symbol(Left left, Right right) {                                               \
        using Work = ascendsim::HalfWork<Common>;                                                  \
        return static_cast<Result>(static_cast<Work>(static_cast<Common>(left))                    \
                                       symbol static_cast<Work>(static_cast<Common>(right)));      \
    }
ASCENDSIM_HALF_OPERATOR(+, Common)
ASCENDSIM_HALF_OPERATOR(-, Common)
ASCENDSIM_HALF_OPERATOR(*, Common)
ASCENDSIM_HALF_OPERATOR(/, Common)
ASCENDSIM_HALF_OPERATOR(==, bool)
ASCENDSIM_HALF_OPERATOR(<, bool)
ASCENDSIM_HALF_OPERATOR(>, bool)
ASCENDSIM_HALF_OPERATOR(<=, bool)
ASCENDSIM_HALF_OPERATOR(>=, bool)
#undef ASCENDSIM_HALF_OPERATOR

class bfloat16_t {
public:
    bfloat16_t() = default;
    // A number is taken as an initial value; back to one goes ToFloat.
    template <typename Number>
        requires std::is_arithmetic_v<Number>
    bfloat16_t(Number value) : bits_(ascendsim::NarrowBfloatNearest(static_cast<float>(value))) {}
    explicit operator float() const { return ascendsim::WidenBfloat(bits_); }

private:
    uint16_t bits_;
};

namespace AscendC {

// Numbers of the scalar unit, which has no arithmetic on bfloat16_t.
inline float ToFloat(bfloat16_t value) { return static_cast<float>(value); }
inline bfloat16_t ToBfloat16(float value) { return bfloat16_t(value); }

}  // namespace AscendC

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2);
