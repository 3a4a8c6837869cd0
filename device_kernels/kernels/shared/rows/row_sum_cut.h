// Host side of RowSumTiling: how many columns, buffers and names fit a unified buffer.
#ifndef ROW_SUM_CUT_H
#define ROW_SUM_CUT_H

#include <algorithm>
#include <cstdint>

#include "row_sum_tiling.h"

namespace row_sum {

constexpr int64_t kBlockBytes = 32;  // granule of a copy to or from UB
constexpr int64_t kSumBytes = 4;     // fp32
constexpr int64_t kFewestBuffers = 2;
constexpr int64_t kMostBuffers = 4;

inline int64_t CeilDiv(int64_t value, int64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

inline int64_t RoundDown(int64_t value, int64_t multiple) { return value / multiple * multiple; }

inline int64_t RoundUp(int64_t value, int64_t multiple) {
    return CeilDiv(value, multiple) * multiple;
}

// The UB of one core, shared by columns of `elementBytes` and names of `nameBytes` each, or of as
// many in each of `nameBuffers` buffers. Names may have weights, of `weightBytes` to a name, and
// second names, of `secondNameBytes`, in buffers of their own.
struct Ub {
    int64_t bytes;
    int64_t elementBytes;
    int64_t nameBytes;
    int64_t weightBytes = 0;
    int64_t secondNameBytes = 0;
    int64_t nameBuffers = 1;
    int64_t wideRows = 2;  // fp32 rows beside those of 16 bits: the sum, and what is added
    int64_t moreRows = 0;  // fp32 rows beside those of any type

    int64_t Granule() const { return kBlockBytes / elementBytes; }

    int64_t PerColumn(int64_t buffers) const {
        return elementBytes * (buffers + 1) + moreRows * kSumBytes +
               (elementBytes < kSumBytes ? wideRows * kSumBytes : 0);
    }

    int64_t OfNames(int64_t names) const {
        return nameBuffers * RoundUp(names * nameBytes, kBlockBytes) +
               RoundUp(names * weightBytes, kBlockBytes) +
               RoundUp(names * secondNameBytes, kBlockBytes);
    }

    // The least UB that holds a tile of 32 bytes and one name.
    int64_t Least() const { return OfNames(1) + Granule() * PerColumn(kFewestBuffers); }

    // The most columns with so many buffers beside one name; 0 where not even a granule fits.
    int64_t MostColumns(int64_t buffers) const {
        const int64_t left = bytes - OfNames(1);
        return left <= 0 ? 0 : RoundDown(left / PerColumn(buffers), Granule());
    }

    // The most input buffers with which `columns` columns fit in one tile; 2 where they do not fit.
    int64_t Buffers(int64_t columns) const {
        int64_t buffers = kMostBuffers;
        while (buffers > kFewestBuffers && columns > MostColumns(buffers)) {
            --buffers;
        }
        return buffers;
    }

    int64_t TileColumns(int64_t hidden) const {
        return std::min(hidden, MostColumns(kFewestBuffers));
    }

    // The most names beside the tile of `hidden` columns; 0 below the least UB.
    int64_t MostNames(int64_t hidden) const {
        if (bytes < Least() || nameBytes < 1) {
            return 0;
        }
        const int64_t tile = RoundUp(TileColumns(hidden), Granule()) * PerColumn(Buffers(hidden));
        int64_t names = (bytes - tile) / (nameBuffers * nameBytes + weightBytes + secondNameBytes);
        while (tile + OfNames(names) > bytes) {
            --names;
        }
        return names;
    }

    // The cut where a core has `names` names at most.
    RowSumTiling Cut(int64_t tokens, int64_t hidden, int64_t sourceRows, int64_t names) const {
        return {tokens,
                hidden,
                sourceRows,
                Buffers(hidden),
                TileColumns(hidden),
                std::min(names, MostNames(hidden))};
    }
};

}  // namespace row_sum

#endif
