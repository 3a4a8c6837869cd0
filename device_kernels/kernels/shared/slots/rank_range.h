// Ranks of slots from a first one on, which the rows of a table belong to, as host tilings have
// them.
#ifndef RANK_RANGE_H
#define RANK_RANGE_H

#include <cstdint>
#include <string>

#include "../checks/tiling_checks.h"

namespace rank_range {

// Ranks [first, first + count).
struct Range {
    int64_t first;
    uint64_t count;
};

// Without ranks where it does not end behind its start. So is one that ends below all int32, so
// that a rank's distance from the start fits 64 bits.
inline Range Between(int64_t start, int64_t end) {
    if (end <= start || end <= INT32_MIN) {
        return {0, 0};
    }
    return {start, static_cast<uint64_t>(end) - static_cast<uint64_t>(start)};
}

// Every rank in the range may be some slot's, so that each needs its row.
inline tiling_checks::Reason CheckRows(const std::string& parameter, int64_t rows,
                                       const Range& range) {
    if (static_cast<uint64_t>(rows) >= range.count) {
        return {};
    }
    return tiling_checks::Broken(
        "dim 0 of " + parameter, rows,
        "the number of ranks in rangeOptional, " + std::to_string(range.count) + ", or more");
}

}  // namespace rank_range

#endif
