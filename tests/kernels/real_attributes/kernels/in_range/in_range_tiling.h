// What host and kernel of InRange share.
#pragma once

#include <cstdint>

struct InRangeTilingData {
    float low;
    float high;
    int32_t times;
    int32_t inverted;
    int64_t row;
    int64_t usedCores;
};
