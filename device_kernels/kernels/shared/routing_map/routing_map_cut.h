// The host's part of walks over a routing map: what a tile takes of the unified buffer (UB).
#ifndef ROUTING_MAP_CUT_H
#define ROUTING_MAP_CUT_H

#include <algorithm>
#include <cstdint>

#include "../rows/row_sum_cut.h"
#include "routing_map_tiling.h"

namespace routing_map {

constexpr int64_t kExpertGranule = 32;  // rows of the map in UB begin on 32 bytes
constexpr int64_t kCountBytes = 3 * 4;  // of an expert: counts of one core, of earlier ones, of all
constexpr int64_t kMostTileTokens = 4095;  // blockCount of one DataCopyPad

// Bytes of UB: of a place of a tile (token and expert), of a token and of an expert in it, and what
// rounding up to 32 bytes may add to the buffers that have so much for each token.
struct Ub {
    int64_t bytes;
    int64_t placeBytes;
    int64_t tokenBytes;
    int64_t expertBytes;
    int64_t tokenBuffers;

    int64_t Least() const {
        return tokenBuffers * row_sum::kBlockBytes + kExpertGranule * (placeBytes + expertBytes);
    }

    int64_t MostExperts() const {
        return row_sum::RoundDown(
            (bytes - tokenBuffers * row_sum::kBlockBytes) / (placeBytes + expertBytes),
            kExpertGranule);
    }

    // 1 where the experts do not fit one tile.
    int64_t MostTokens(int64_t experts) const {
        const int64_t rounded = row_sum::RoundUp(experts, kExpertGranule);
        if (experts < 1 || rounded > MostExperts()) {
            return 1;
        }
        const int64_t left =
            bytes - kCountBytes * rounded - tokenBuffers * (row_sum::kBlockBytes - 1);
        const int64_t perToken = rounded * placeBytes + tokenBytes;
        return std::clamp<int64_t>(left / perToken, 1, kMostTileTokens);
    }

    RoutingMapTiling Cut(int64_t tokens, int64_t experts, int64_t cores) const {
        const int64_t used = std::min(tokens, cores);
        return {tokens, experts, std::min(row_sum::CeilDiv(tokens, used), MostTokens(experts)),
                std::min(experts, MostExperts()), used};
    }
};

}  // namespace routing_map

#endif
