// Which block of the launch this is, and scalar helpers.
#pragma once

#include <cstdint>

#include "../../engine/schedule/core.h"

namespace AscendC {

inline int64_t GetBlockIdx() { return ascendsim::CurrentCore().blockIndex; }
inline int64_t GetBlockNum() { return ascendsim::CurrentCore().blockCount; }

// `length` rounded up to a multiple of `granule`; 0 where the granule is 0.
constexpr uint32_t AlignUp(uint32_t length, uint32_t granule) {
    return granule == 0 ? 0 : (length + granule - 1) / granule * granule;
}

}  // namespace AscendC
