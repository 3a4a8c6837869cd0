// The name by which newer sources include it.
#pragma once

#include "tiling/platform/platform_ascendc.h"
