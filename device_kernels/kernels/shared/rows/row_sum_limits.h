// What host tilings export of the cut of row_sum_cut.h: the sizes at which it takes another branch.
#ifndef ROW_SUM_LIMITS_H
#define ROW_SUM_LIMITS_H

#include <cstdint>
#include <string>

#include "row_sum_cut.h"

namespace row_sum {

// By the names that the header of each tiling explains; -1 for another one.
inline int64_t Limit(const std::string& axis, const Ub& ub, uint32_t cores, int64_t hidden) {
    if (axis == "ub-bytes") {
        return ub.Least();
    }
    if (axis == "four-buffers") {
        return ub.MostColumns(4);
    }
    if (axis == "three-buffers") {
        return ub.MostColumns(3);
    }
    if (axis == "hidden") {
        return ub.MostColumns(2);
    }
    if (axis == "batch") {
        return ub.MostNames(hidden);
    }
    if (axis == "tokens") {
        return ub.MostNames(hidden) * cores;
    }
    return -1;
}

}  // namespace row_sum

#endif
