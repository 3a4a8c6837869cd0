// How MoeFinalizeRoutingV2 cuts the slots of a token: how many names share the unified buffer with
// the columns. Host side.
#ifndef MOE_FINALIZE_ROUTING_V2_UB_H
#define MOE_FINALIZE_ROUTING_V2_UB_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"

namespace moe_finalize_routing_v2 {

constexpr int64_t kIndexBytes = 4;   // int32
constexpr int64_t kNamesShare = 4;   // names of one token may take such a part of the UB
constexpr int64_t kRowsInPairs = 3;  // fp32 rows beside those of 16 bits, where there is a bias

// The UB of one core, and what decides how it is shared.
struct Ub {
    int64_t bytes;
    int64_t elementBytes;
    int64_t scaleBytes;  // 0: there are no scales
    bool hasBias;
    bool isSlotMajor;

    // That with `slots` slots of a token as one name.
    row_sum::Ub Of(int64_t slots) const {
        row_sum::Ub ub{bytes, elementBytes, slots * kIndexBytes, slots * scaleBytes};
        if (isSlotMajor) {
            ub.nameBytes = kIndexBytes;
            ub.nameBuffers = slots;
        }
        if (hasBias) {
            ub.secondNameBytes = slots * kIndexBytes;
            ub.wideRows = kRowsInPairs;
        }
        return ub;
    }

    int64_t Least() const { return Of(1).Least(); }

    // The most slots in one part; 0 below the least UB.
    int64_t MostSlots() const {
        if (bytes < Least()) {
            return 0;
        }
        const int64_t room = bytes / kNamesShare;
        const int64_t index = isSlotMajor ? row_sum::kBlockBytes : kIndexBytes;
        int64_t slots = room / (index + scaleBytes + (hasBias ? kIndexBytes : 0));
        while (slots > 1 && Of(slots).OfNames(1) > room) {
            --slots;
        }
        return std::max<int64_t>(slots, 1);
    }

    int64_t SlotsPerPart(int64_t topK) const { return std::min(topK, MostSlots()); }

    // Where a core has `tokens` of all tokens at most.
    RowSumTiling Cut(int64_t all, int64_t hidden, int64_t sourceRows, int64_t topK,
                     int64_t tokens) const {
        const int64_t slots = SlotsPerPart(topK);
        return Of(slots).Cut(all, hidden, sourceRows, slots < topK ? 1 : tokens);
    }
};

// What MoeFinalizeRoutingV2TilingLimit answers for a UB and a topK that is one.
inline int64_t Limit(const std::string& axis, const Ub& ub, int64_t topK, uint32_t cores,
                     int64_t hidden) {
    if (axis == "ub-bytes") {
        return ub.Least();
    }
    if (axis == "slots") {
        return ub.MostSlots();
    }
    const int64_t slots = ub.SlotsPerPart(topK);
    const bool isWhole = slots == topK;
    if (!isWhole && axis == "batch") {
        return std::min<int64_t>(slots, 1);
    }
    if (!isWhole && axis == "tokens") {
        return std::min<int64_t>(slots, 1) * cores;
    }
    const int64_t limit = row_sum::Limit(axis, ub.Of(std::max<int64_t>(slots, 1)), cores, hidden);
    return slots == 0 ? std::min<int64_t>(limit, 0) : limit;
}

}  // namespace moe_finalize_routing_v2

#endif
