// Host side of SlotGatherTiling: how many slots fit a unified buffer.
#ifndef SLOT_GATHER_CUT_H
#define SLOT_GATHER_CUT_H

#include <algorithm>
#include <cstdint>

#include "../rows/row_sum_cut.h"
#include "slot_gather_tiling.h"

namespace slot_gather {

using row_sum::kBlockBytes;
using row_sum::RoundUp;

constexpr int64_t kIndexBytes = 4;  // int32

inline int64_t UbBytes(int64_t slots, int64_t elementBytes) {
    return RoundUp(slots * kIndexBytes, kBlockBytes) + RoundUp(slots * elementBytes, kBlockBytes) +
           slots * kBlockBytes;
}

// The most slots of a batch; 0 where not even one fits.
inline int64_t MostSlots(int64_t ubBytes, int64_t elementBytes) {
    int64_t slots = std::max<int64_t>(ubBytes, 0) / (kIndexBytes + elementBytes + kBlockBytes);
    while (slots > 0 && UbBytes(slots, elementBytes) > ubBytes) {
        --slots;
    }
    return slots;
}

// The cut where `blocks` cores share the slots.
inline SlotGatherTiling Cut(int64_t slots, int64_t blocks, int64_t ubBytes, int64_t elementBytes) {
    return {slots, std::min(row_sum::CeilDiv(slots, blocks), MostSlots(ubBytes, elementBytes))};
}

}  // namespace slot_gather

#endif
