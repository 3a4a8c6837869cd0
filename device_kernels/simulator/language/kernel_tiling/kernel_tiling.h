// The tiling structs of functions that take one: the host computes them, members of an operator's
// tiling struct carry them to the kernel.
#pragma once

#include <cstdint>

#include "../tiling_data.h"
#include "library_tilings.h"
