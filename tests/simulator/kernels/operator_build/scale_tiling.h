// The tiling of the operator `scale`, as its host code declares it.
#pragma once

#include "tiling_data.h"

BEGIN_TILING_DATA_DEF(ScaleRange)
TILING_DATA_FIELD_DEF(uint32_t, first)
TILING_DATA_FIELD_DEF(uint32_t, count)
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(ScaleTilingData)
TILING_DATA_FIELD_DEF(int64_t, factor)
TILING_DATA_FIELD_DEF_ARR(int32_t, 4, added)
TILING_DATA_FIELD_DEF_STRUCT(ScaleRange, range)
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Scale, ScaleTilingData)
