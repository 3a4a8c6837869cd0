// The host's part of copies of rows to the ranks of slots: the bytes of the tiling header's table,
// and what is cut by them.
#ifndef SLOT_COPY_CUT_H
#define SLOT_COPY_CUT_H

#include <algorithm>
#include <cstdint>

#include "../sorting/stable_sort_cut.h"
#include "slot_copy_tiling.h"

namespace slot_copy {

constexpr int64_t kBlockBytes = 32;  // granule of a copy to or from UB
constexpr int64_t kBuffers = 2;      // double buffering, of rows and of probs
constexpr int64_t kRankBytes = 4;    // int32
constexpr int64_t kIndexBytes = 8;   // of the wider type
constexpr int64_t kSlotGranule = kBlockBytes / kRankBytes;
constexpr int64_t kMostCopyBlocks = 4095;     // blockCount of one DataCopyPad
constexpr int64_t kWorkspaceAlignment = 512;  // of the parts of the workspace

// Of fp32 (0), fp16 (1), int8 (2) or bf16 (27).
inline int64_t ElementBytes(int64_t aclDataType) {
    switch (aclDataType) {
        case 0:
            return 4;
        case 2:
            return 1;
        default:
            return 2;
    }
}

inline int64_t RoundDown(int64_t value, int64_t multiple) { return value / multiple * multiple; }

inline int64_t RoundUp(int64_t value, int64_t multiple) {
    return stable_sort::CeilDiv(value, multiple) * multiple;
}

struct Copies {
    int64_t tokensPerBatch;
    int64_t slotsPerBatch;
    int64_t tileColumns;
};

struct CopyBytes {
    CopyBytes(int64_t topK, int64_t dtype, bool hasProbs, bool isPadded, int64_t ubBytes)
        : topK(topK),
          element(ElementBytes(dtype)),
          perSlot(kRankBytes + (isPadded ? kIndexBytes : 0) +
                  (hasProbs ? kBuffers * kBlockBytes : 0)),
          rounding(isPadded ? 2 * kBlockBytes : kBlockBytes),
          ub(ubBytes) {}

    // The most whole rows with all their slots; 0 where not even one fits.
    int64_t WholeTokens(int64_t hidden) const {
        if (hidden > ub) {
            return 0;
        }
        const int64_t rows = kBuffers * RoundUp(hidden * element, kBlockBytes);
        const int64_t fit = (ub - rounding) / (rows + topK * perSlot);
        return std::min({fit, kMostCopyBlocks, kMostCopyBlocks / topK});
    }

    // Slots at a time of a token that does not fit whole.
    int64_t SlotsOfPart() const {
        const int64_t fit = RoundDown(ub / 2 / perSlot, kSlotGranule);
        return std::min(topK, std::max(fit, kSlotGranule));
    }

    // Columns at a time of such a token.
    int64_t ColumnsOfTile() const {
        const int64_t slots = RoundUp(SlotsOfPart(), kSlotGranule) * perSlot;
        return RoundDown((ub - slots) / kBuffers, kBlockBytes) / element;
    }

    // The largest hidden of one tile, be it with all slots of a token or with a part of them.
    int64_t MostColumns() const {
        const int64_t row = (ub - rounding - topK * perSlot) / kBuffers;
        const int64_t whole = row < kBlockBytes ? 0 : RoundDown(row, kBlockBytes) / element;
        return std::max(whole, ColumnsOfTile());
    }

    Copies Cut(int64_t hidden) const {
        const int64_t tokens = WholeTokens(hidden);
        return tokens > 0 ? Copies{tokens, tokens * topK, hidden}
                          : Copies{1, SlotsOfPart(), std::min(hidden, ColumnsOfTile())};
    }

    int64_t topK;
    int64_t element;   // bytes of one
    int64_t perSlot;   // bytes
    int64_t rounding;  // bytes that rounding up to blocks adds, of ranks and indices
    int64_t ub;
};

// Fills in how `copied` rows, more than 0, are cut over the cores: tokens, or rows of the output
// where indices name their tokens.
inline void CutCopies(const CopyBytes& bytes, int64_t copied, int64_t cores,
                      SlotCopyTiling* tiling) {
    const Copies copies = bytes.Cut(tiling->hidden);
    tiling->tokensPerCore = stable_sort::CeilDiv(copied, cores);
    tiling->usedCores = stable_sort::CeilDiv(copied, tiling->tokensPerCore);
    tiling->tokensPerBatch = std::min(copies.tokensPerBatch, tiling->tokensPerCore);
    tiling->slotsPerBatch = std::min(copies.slotsPerBatch, tiling->tokensPerBatch * bytes.topK);
    tiling->tileColumns = copies.tileColumns;
}

// Fills in how the slots are sorted before that, and adds the cores that it takes.
inline void CutSort(int64_t cores, int64_t ubBytes, SlotCopyTiling* tiling) {
    const int64_t slots = tiling->tokens * tiling->topK;
    tiling->sort = stable_sort::Cut(slots, cores, ubBytes);
    tiling->usedCores = std::max(tiling->usedCores, std::min(tiling->sort.runs, cores));
    tiling->pairsOffset = RoundUp(slots * kRankBytes, kWorkspaceAlignment);
    tiling->pairsBytes = RoundUp(stable_sort::PairBytes(tiling->sort), kWorkspaceAlignment);
    tiling->workspaceBytes = tiling->pairsOffset + 2 * tiling->pairsBytes;
}

}  // namespace slot_copy

#endif
