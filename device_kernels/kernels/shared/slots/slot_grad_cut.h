// Host side of SlotGradTiling: the bytes of its header's table, and what is cut by them.
#ifndef SLOT_GRAD_CUT_H
#define SLOT_GRAD_CUT_H

#include <algorithm>
#include <bit>
#include <cstdint>

#include "slot_copy_cut.h"
#include "slot_grad_tiling.h"

namespace slot_grad {

using slot_copy::RoundDown;
using slot_copy::RoundUp;
using stable_sort::CeilDiv;

constexpr int64_t kBlockBytes = 32;  // granule of a copy to or from UB
constexpr int64_t kWideBytes = 4;    // fp32, int32
constexpr int64_t kLanes = 64;       // fp32 values of one repeat
constexpr int64_t kLaneBytes = kLanes * kWideBytes;
constexpr int64_t kMostRepeats = 255;   // of one instruction
constexpr int64_t kPartOfLanes = 8;     // they take this part of the UB at most
constexpr int64_t kQueues = 3;          // of gradients, rows and results
constexpr int64_t kBuffersOfQueue = 2;  // double buffering

constexpr int64_t kLeastUbOfCopies = 96;  // a block of indices, and two of a row

// The UB of one core, for rows of `element` bytes and weights of `weight` bytes each.
struct Ub {
    int64_t bytes;
    int64_t element;
    int64_t weight;
    bool hasBias = false;
    bool isApart = false;  // weights lie apart from each other, and so do their gradients

    int64_t Granule() const { return kBlockBytes / element; }

    int64_t PerColumn() const {
        const int64_t tensors = hasBias ? 3 : 2;  // that are widened: gradient, row, bias
        const int64_t queues = hasBias ? kQueues + 1 : kQueues;
        return queues * kBuffersOfQueue * element +
               (element < kWideBytes ? tensors * kWideBytes : 0);
    }

    // Without what rounding up adds, and no more than all of them.
    int64_t BytesOfSlot() const {
        const int64_t sums = weight < kWideBytes ? kWideBytes / weight : 0;
        return isApart ? 2 * kWideBytes + (1 + sums) * kBlockBytes : kWideBytes + weight;
    }

    int64_t OfNames(int64_t slots) const {
        const int64_t wide = RoundUp(slots * kWideBytes, kBlockBytes);
        if (isApart) {
            return 2 * wide + slots * (BytesOfSlot() - 2 * kWideBytes);
        }
        const int64_t own = RoundUp(slots * weight, kBlockBytes);
        return wide + 2 * own + (weight < kWideBytes ? wide : 0) + (hasBias ? wide : 0);
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
        int64_t slots = left / BytesOfSlot();
        while (OfNames(slots) > left) {
            --slots;
        }
        return RoundDown(slots, slots < topK ? part : topK);
    }
};

// Fills in how the slots, more than 0, of so many tokens are cut over the cores; returns how many
// cores take part.
inline int64_t CutSlots(const Ub& ub, int64_t tokens, int64_t cores, SlotGradTiling* tiling) {
    const int64_t topK = tiling->topK;
    const int64_t unit = tokens < cores ? 1 : topK;
    tiling->slotsPerCore = CeilDiv(tiling->slots / unit, cores) * unit;
    tiling->slotsPerBatch = std::min(ub.SlotsOfBatch(topK, tiling->hidden), tiling->slotsPerCore);
    tiling->slotsPerPart = std::min(ub.SlotsOfPart(topK), tiling->slotsPerCore);
    tiling->tileColumns = ub.TileColumns(topK, tiling->hidden);
    return CeilDiv(tiling->slots, tiling->slotsPerCore);
}

}  // namespace slot_grad

#endif
