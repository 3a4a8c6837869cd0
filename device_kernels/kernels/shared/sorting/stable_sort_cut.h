// The host's part of a stable argsort: how many runs, of how many keys.
#ifndef STABLE_SORT_CUT_H
#define STABLE_SORT_CUT_H

#include <algorithm>
#include <cstdint>

#include "stable_sort_tiling.h"

namespace stable_sort {

inline constexpr int64_t kMergedAtOnce = 4;     // lists that one MrgSort takes
inline constexpr int64_t kSortedAtOnce = 32;    // keys that Sort32 takes
inline constexpr int64_t kMostRepeats = 255;    // of Sort32 and Extract
inline constexpr int64_t kBytesPerKey = 3 * 8;  // the header's table: 8 in each of three buffers
inline constexpr int64_t kLeastUb = kBytesPerKey * kSortedAtOnce;
inline constexpr int64_t kPairBytes = 8;

inline int64_t CeilDiv(int64_t value, int64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// The most keys of one run; 0 where the UB is below kLeastUb.
inline int64_t LargestRun(int64_t ubBytes) {
    const int64_t keys = ubBytes / kBytesPerKey / kSortedAtOnce * kSortedAtOnce;
    return std::min(keys, kMostRepeats * kSortedAtOnce);
}

// Merge levels that this many runs need.
inline int64_t MergeLevels(int64_t runs) {
    int64_t levels = 0;
    for (int64_t lists = runs; lists > 1; lists = CeilDiv(lists, kMergedAtOnce)) {
        ++levels;
    }
    return levels;
}

// Cuts keys > 0 for a machine with kLeastUb or more. As few merge levels as the UB allows; with
// these, as many runs as there are cores to sort them at the same time.
inline StableSortTilingData Cut(int64_t keys, int64_t cores, int64_t ubBytes) {
    const int64_t largest = LargestRun(ubBytes);
    const int64_t fewest = CeilDiv(keys, largest);
    int64_t most = 1;
    while (most < fewest) {
        most *= kMergedAtOnce;
    }
    const int64_t wanted = std::clamp(cores, fewest, most);
    StableSortTilingData tiling{};
    tiling.keys = keys;
    tiling.runKeys = CeilDiv(CeilDiv(keys, wanted), kSortedAtOnce) * kSortedAtOnce;
    tiling.runs = CeilDiv(keys, tiling.runKeys);
    tiling.tileKeys = largest / kMergedAtOnce;
    return tiling;
}

// Bytes of one list of all pairs in the workspace: none where one core sorts all keys.
inline int64_t PairBytes(const StableSortTilingData& tiling) {
    return tiling.runs > 1 ? tiling.keys * kPairBytes : 0;
}

}  // namespace stable_sort

#endif
