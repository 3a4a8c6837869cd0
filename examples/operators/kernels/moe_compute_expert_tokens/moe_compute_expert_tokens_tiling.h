// What host and kernel of MoeComputeExpertTokens share: how the work is cut.
#pragma once

#include <cstdint>

struct MoeComputeExpertTokensTilingData {
    int64_t usedCores;       // blocks to launch
    int64_t entries;         // sorted ids
    int64_t experts;         // elements of out
    int64_t entriesPerCore;  // of every core but the last
    int64_t tileEntries;     // ids that a tile has beside the one that follows it; 0: no room
    int64_t tileExperts;     // elements of out that leave at once
};

// The cut for a machine of so many cores, each with a unified buffer (UB) of so many bytes.
MoeComputeExpertTokensTilingData MoeComputeExpertTokensTiling(int64_t entries, int64_t experts,
                                                              int64_t cores, int64_t ubBytes);
