// The host's part of gradients with probs: the bytes of the tiling header's table, and what is cut
// by them.
#ifndef MOE_TOKEN_UNPERMUTE_GRAD_UB_H
#define MOE_TOKEN_UNPERMUTE_GRAD_UB_H

#include <algorithm>
#include <bit>
#include <cstdint>

#include "../shared/slot_copy_cut.h"

namespace moe_token_unpermute_grad {

using slot_copy::RoundDown;
using slot_copy::RoundUp;

constexpr int64_t kBlockBytes = 32;  // granule of a copy to or from UB
constexpr int64_t kWideBytes = 4;    // fp32, int32
constexpr int64_t kLanes = 64;       // fp32 values of one repeat
constexpr int64_t kLaneBytes = kLanes * kWideBytes;
constexpr int64_t kMostRepeats = 255;   // of one instruction
constexpr int64_t kPartOfLanes = 8;     // they take this part of the UB at most
constexpr int64_t kQueues = 3;          // of gradients, rows and results
constexpr int64_t kBuffersOfQueue = 2;  // double buffering

// The UB of one core, for tokens of `element` bytes and probs of `prob` bytes each.
struct Ub {
    int64_t bytes;
    int64_t element;
    int64_t prob;

    int64_t Granule() const { return kBlockBytes / element; }

    int64_t PerColumn() const {
        return kQueues * kBuffersOfQueue * element + (element < kWideBytes ? 2 * kWideBytes : 0);
    }

    int64_t OfNames(int64_t slots) const {
        const int64_t wide = RoundUp(slots * kWideBytes, kBlockBytes);
        const int64_t own = RoundUp(slots * prob, kBlockBytes);
        return wide + 2 * own + (prob < kWideBytes ? wide : 0);
    }

    int64_t OfPart(int64_t slots) const { return slots * kLaneBytes; }

    int64_t Least() const { return OfNames(1) + OfPart(1) + Granule() * PerColumn(); }

    int64_t MostOfPart() const {
        return std::clamp<int64_t>(bytes / kPartOfLanes / kLaneBytes, 1, kMostRepeats);
    }

    int64_t SlotsOfPart(int64_t topK) const { return std::min(topK, MostOfPart()); }

    // The most columns in one tile.
    int64_t MostColumns(int64_t topK) const {
        const int64_t part = SlotsOfPart(topK);
        const int64_t fit = (bytes - OfNames(part) - OfPart(part)) / PerColumn();
        return std::min(RoundDown(fit, Granule()), kMostRepeats * kLanes);
    }

    int64_t TileColumns(int64_t topK, int64_t hidden) const {
        const int64_t most = MostColumns(topK);
        if (hidden <= most) {
            return hidden;
        }
        return most >= kLanes ? RoundDown(most, kLanes)
                              : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
    }

    // Whole tokens where one fits, else whole parts.
    int64_t SlotsOfBatch(int64_t topK, int64_t hidden) const {
        const int64_t part = SlotsOfPart(topK);
        const int64_t tile = RoundUp(TileColumns(topK, hidden), Granule()) * PerColumn();
        const int64_t left = bytes - OfPart(part) - tile;
        int64_t slots = left / (kWideBytes + prob);
        while (OfNames(slots) > left) {
            --slots;
        }
        return RoundDown(slots, slots < topK ? part : topK);
    }
};

}  // namespace moe_token_unpermute_grad

#endif
