// The sizes at which copies of rows to the ranks of slots are cut otherwise: what tiling libraries
// export, and no call reads.
#ifndef SLOT_COPY_LIMIT_H
#define SLOT_COPY_LIMIT_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../sorting/stable_sort_cut.h"
#include "slot_copy_check.h"
#include "slot_copy_cut.h"

namespace slot_copy {

constexpr int64_t kMostLimit = 1LL << 40;  // of what a limit is computed with
constexpr int64_t kUnknownAxis = -1;

inline int64_t MostUb(uint64_t ubBytes) {
    return static_cast<int64_t>(std::min<uint64_t>(ubBytes, kMostLimit));
}

// Takes the suffix off an axis that ends with it; returns whether it does.
inline bool TakeSuffix(const std::string& suffix, std::string* axis) {
    const bool ends = axis->ends_with(suffix);
    axis->resize(axis->size() - (ends ? suffix.size() : 0));
    return ends;
}

// Of the sort and of the machine: "ub-bytes", "cores", "sort", "merge-1", "merge-2", "runs".
inline int64_t SortLimit(const std::string& axis, uint32_t cores, uint64_t ubBytes) {
    const int64_t run = stable_sort::LargestRun(MostUb(ubBytes));
    if (axis == "ub-bytes") {
        return stable_sort::kLeastUb;
    }
    if (axis == "cores") {
        return cores;
    }
    if (axis == "sort") {
        return run;
    }
    if (axis == "merge-1") {
        return run * stable_sort::kMergedAtOnce;
    }
    if (axis == "merge-2") {
        return run * stable_sort::kMergedAtOnce * stable_sort::kMergedAtOnce;
    }
    return axis == "runs" ? run * cores : kUnknownAxis;
}

// Of the copies: "hidden", "batch", "tokens". 0 where the UB is below "ub-bytes" or topK or hidden
// make no sense; no operator takes more than mostTopK slots of a token.
inline int64_t CopyLimit(const std::string& axis, const CopyBytes& bytes, uint32_t cores,
                         int64_t hidden, int64_t mostTopK = kMostTopK) {
    if (axis != "hidden" && axis != "batch" && axis != "tokens") {
        return kUnknownAxis;
    }
    if (bytes.ub < stable_sort::kLeastUb || bytes.topK < 1 || bytes.topK > mostTopK || hidden < 0) {
        return 0;
    }
    if (axis == "hidden") {
        return bytes.MostColumns();
    }
    const int64_t batch = bytes.Cut(hidden).tokensPerBatch;
    return axis == "batch" ? batch : batch * cores;
}

}  // namespace slot_copy

#endif
