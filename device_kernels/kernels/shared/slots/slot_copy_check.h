// What host tilings check of calls that copy rows to the ranks of slots.
#ifndef SLOT_COPY_CHECK_H
#define SLOT_COPY_CHECK_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../checks/tiling_checks.h"
#include "../sorting/stable_sort_cut.h"
#include "slot_copy_tiling.h"

namespace slot_copy {

using namespace tiling_checks;

constexpr int64_t kSlotsEnd = 16777215;  // positions are sorted as fp32

// The ranks that numOutTokens keeps: so many of the first, at most all; of 0 or less all but so
// many of the last.
inline int64_t KeptRanks(int64_t numOutTokens, int64_t slots) {
    return numOutTokens > 0 ? std::min(numOutTokens, slots)
                            : std::max<int64_t>(0, numOutTokens + slots);
}

// Of a tensor [tokens, topK]. Compared without the product, which may be too large for an integer.
inline Reason CheckSlots(const std::string& indices, int64_t tokens, int64_t topK) {
    return topK <= 0 || tokens <= (kSlotsEnd - 1) / topK
               ? Reason{}
               : Broken("the number of elements of " + indices,
                        std::to_string(tokens) + " * " + std::to_string(topK),
                        "less than " + std::to_string(kSlotsEnd));
}

inline Reason CheckSortUb(int64_t ubBytes) { return CheckUb(ubBytes, stable_sort::kLeastUb); }

// Both, of a tensor whose slots are sorted.
inline Reason CheckSort(const std::string& indices, int64_t tokens, int64_t topK, int64_t ubBytes) {
    const Reason reason = CheckSlots(indices, tokens, topK);
    return reason.empty() ? CheckSortUb(ubBytes) : reason;
}

}  // namespace slot_copy

#endif
