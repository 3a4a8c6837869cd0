#include "moe_re_routing_tiling.h"

#include <algorithm>

void MoeReRoutingCut(int64_t cores, int64_t ubBytes, MoeReRoutingTilingData* tiling) {
    constexpr int64_t block = 32;   // bytes: granule of a copy to or from UB
    constexpr int64_t buffers = 4;  // two of bytes that move, two of row numbers
    // Without rows one core writes the sums.
    tiling->rowsPerCore = std::max<int64_t>((tiling->rows + cores - 1) / cores, 1);
    tiling->usedCores =
        std::max<int64_t>((tiling->rows + tiling->rowsPerCore - 1) / tiling->rowsPerCore, 1);
    tiling->tileBytes = ubBytes / buffers / block * block;
}
