// Instructions on the bits of integers.
#pragma once

#include <cstdint>

#include "../vocabulary/dtype_table.h"
#include "elementwise.h"
#include "numbers.h"

namespace AscendC {

ASCENDSIM_BINARY(And, ascendsim::BitsOfBoth, int16_t, uint16_t)
ASCENDSIM_BINARY(Or, ascendsim::BitsOfEither, int16_t, uint16_t)
ASCENDSIM_UNARY(Not, ascendsim::FlippedBits, int16_t, uint16_t)
ASCENDSIM_SCALAR(ShiftLeft, ascendsim::ShiftedLeft, uint16_t, int16_t, uint32_t, int32_t)

}  // namespace AscendC
