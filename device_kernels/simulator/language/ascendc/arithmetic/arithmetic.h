// Arithmetic of one rounding per element, on the dtypes of the vector unit, and the larger and
// smaller of two.
#pragma once

#include "../vocabulary/dtype_table.h"
#include "elementwise.h"
#include "functions.h"
#include "numbers.h"
#include "sixteen_bit.h"

namespace AscendC {

ASCENDSIM_BINARY(Add, ascendsim::Sum, half, float, int16_t, int32_t)
ASCENDSIM_BINARY(Sub, ascendsim::Difference, half, float, int16_t, int32_t)
ASCENDSIM_BINARY(Mul, ascendsim::Product, half, float, int16_t, int32_t)
ASCENDSIM_BINARY(Div, ascendsim::Quotient, half, float)
ASCENDSIM_BINARY(Max, ascendsim::Larger, half, float, int16_t, int32_t)
ASCENDSIM_BINARY(Min, ascendsim::Smaller, half, float, int16_t, int32_t)

ASCENDSIM_SCALAR(Adds, ascendsim::Sum, half, float, int16_t, int32_t)
ASCENDSIM_SCALAR(Muls, ascendsim::Product, half, float, int16_t, int32_t)
ASCENDSIM_SCALAR(Maxs, ascendsim::Larger, half, float, int16_t, int32_t)
ASCENDSIM_SCALAR(Mins, ascendsim::Smaller, half, float, int16_t, int32_t)

ASCENDSIM_UNARY(Abs, ascendsim::Magnitude, half, float)
ASCENDSIM_UNARY(Exp, ascendsim::Exponential, half, float)
ASCENDSIM_UNARY(Ln, ascendsim::Logarithm, half, float)
ASCENDSIM_UNARY(Sqrt, ascendsim::SquareRoot, half, float)
ASCENDSIM_UNARY(Rsqrt, ascendsim::InverseRoot, half, float)
ASCENDSIM_UNARY(Reciprocal, ascendsim::Inverse, half, float)

}  // namespace AscendC
