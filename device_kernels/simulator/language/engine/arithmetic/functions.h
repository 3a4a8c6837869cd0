// Functions of the vector unit whose last bits the interface leaves open.
#pragma once

#include <cstdint>

namespace ascendsim {

// The implementations of exp, ln, roots, division and reciprocal that a machine may have, as
// ascendsimFunctions or ASCENDSIM_FUNCTIONS says. Each keeps what the simulator declares of all:
// at most one step from the correctly rounded result, and equal results of equal operands.
enum class Functions : uint8_t {
    Rounded,  // correctly rounded
    High,     // one step above
    Low,      // one step below
    Hashed,   // a step above or below, or none, by a hash of the operands
    Flushed,  // correctly rounded, and 0 below 2^-126
};

// The implementation of the next launch.
Functions ConfiguredFunctions();

enum class Function : uint8_t { Exp, Ln, Sqrt, Div, Reciprocal, Rsqrt };

// By how many steps an implementation moves a result, upwards if positive. A function of one
// operand has 0 for `right`.
int32_t StepsOf(Functions functions, Function function, float left, float right);

// A double that rounds to float, and to any narrower format, as exp and ln of `value` do.
double ExactExp(float value);
double ExactLn(float value);
double ExactRsqrt(float value);

}  // namespace ascendsim
