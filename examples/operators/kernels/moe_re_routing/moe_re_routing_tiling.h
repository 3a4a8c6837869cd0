// What host and kernel of MoeReRouting share: how the work is cut.
#pragma once

#include <cstdint>

struct MoeReRoutingTilingData {
    int64_t usedCores;    // blocks to launch
    int64_t rows;         // of tokens
    int64_t rowBytes;     // of a row of tokens
    int64_t ranks;        // rows of the counts
    int64_t experts;      // columns of the counts
    int64_t countWords;   // 1: int32, 2: int64
    int64_t rowsPerCore;  // that a core fills
    int64_t tileBytes;    // that are moved at once; 0: no room
};

// Adds to what a call says how it is cut, for a unified buffer (UB) of so many bytes a core.
void MoeReRoutingCut(int64_t cores, int64_t ubBytes, MoeReRoutingTilingData* tiling);
