// The tilings of library functions: none is computed here, so one that is used does not compile.
#pragma once

#include <cmath>

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

// Sources open it for such functions.
namespace AscendC {}
