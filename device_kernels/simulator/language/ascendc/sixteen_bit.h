// half and bfloat16_t: storage of 16 bits with explicit, exact widening to float.
//
// Arithmetic on half goes through float and rounds once, to nearest even: for + - * / this is the
// correctly rounded result, since 24 >= 2 * 11 + 2. bfloat16_t has no arithmetic, as on the device.
#pragma once

#include <cstdint>

#include "narrowing.h"

class half {
public:
    half() = default;
    explicit half(float value) : bits_(ascendsim::NarrowHalfNearest(value)) {}
    explicit operator float() const { return ascendsim::WidenHalf(bits_); }

    friend half operator+(half left, half right) { return half(float(left) + float(right)); }
    friend half operator-(half left, half right) { return half(float(left) - float(right)); }
    friend half operator*(half left, half right) { return half(float(left) * float(right)); }
    friend half operator/(half left, half right) { return half(float(left) / float(right)); }
    friend half operator-(half value) { return half(-float(value)); }
    friend bool operator==(half left, half right) { return float(left) == float(right); }
    friend bool operator<(half left, half right) { return float(left) < float(right); }
    friend bool operator>(half left, half right) { return float(left) > float(right); }
    friend bool operator<=(half left, half right) { return float(left) <= float(right); }
    friend bool operator>=(half left, half right) { return float(left) >= float(right); }

private:
    uint16_t bits_;
};

class bfloat16_t {
public:
    bfloat16_t() = default;
    explicit bfloat16_t(float value) : bits_(ascendsim::NarrowBfloatNearest(value)) {}
    explicit operator float() const { return ascendsim::WidenBfloat(bits_); }

private:
    uint16_t bits_;
};

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2);
