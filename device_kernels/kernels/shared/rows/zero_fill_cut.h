// Host side of zeros over an output (zero_fill_kernel.h): how many of them a core has at once.
#ifndef ZERO_FILL_CUT_H
#define ZERO_FILL_CUT_H

#include <algorithm>
#include <cstdint>

#include "row_sum_cut.h"

namespace zero_fill {

// Zeros that one core has room for, in whole blocks.
inline int64_t MostAtOnce(int64_t ubBytes, int64_t elementBytes) {
    return row_sum::RoundDown(ubBytes, row_sum::kBlockBytes) / elementBytes;
}

struct Zeros {
    int64_t cores;   // that have a block to write, or `busy` if these are more
    int64_t atOnce;  // elements in UB, at most
};

inline Zeros Cut(int64_t elements, int64_t busy, int64_t cores, int64_t ubBytes,
                 int64_t elementBytes) {
    const int64_t granule = row_sum::kBlockBytes / elementBytes;
    const int64_t used = std::max(busy, std::min(row_sum::CeilDiv(elements, granule), cores));
    const int64_t each = row_sum::RoundUp(row_sum::CeilDiv(elements, used), granule);
    return {used, std::min(each, MostAtOnce(ubBytes, elementBytes))};
}

}  // namespace zero_fill

#endif
