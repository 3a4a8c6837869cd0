// What host and kernel of MoeTokenPermuteWithRoutingMapGrad share: how the work is cut, in plain
// C++.
//
// A call is one to three launches of one kernel, each with a job of its own:
//
//     dropAndPad   gradient of the tokens      gradient of the probs, if asked for
//     false        SLOT_SUM                    MASKED_SCATTER
//     true         SORT, then ADD_SORTED       SCATTER
//
// SLOT_SUM and ADD_SORTED cut tokens over min(tokens, cores) cores and columns as
// ../shared/row_sum_tiling.h says. What names the source rows are topK row indices per token
// (int32) in the one, sorted entries of 8 bytes in the other.
//
// SORT makes runs of entries (key, position) that are sorted in the unified buffer (UB), 24 bytes
// to an entry, a multiple of 32 entries to a run, and gives every core one where there are enough;
// then it merges four runs at a time, in global memory, until one is left. A merge has four input
// buffers and for the result as much as these, 64 bytes to an entry of one list.
//
// MASKED_SCATTER cuts tokens as SLOT_SUM does. A tile has all experts and as many tokens as fit;
// or, where the experts of one token do not fit, one token and a multiple of 32 experts. UB for a
// tile of t tokens and e experts (rounded up to 32), s bytes per element:
//
//     map and result     t * e * (1 + s)
//     values             t * s            rounded up to 32
//     counts             3 * 4 * e
//
// SCATTER cuts the rows over all cores, or takes one core where there is at most one row for each:
// every core the same number, the last the rest too. A batch takes 36 bytes to a row, and 28 more.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_TILING_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_TILING_H

#include <cstdint>

#include "../shared/routing_map/routing_map_tiling.h"
#include "../shared/rows/row_sum_tiling.h"

enum class RoutingMapGradJob : int64_t {
    SLOT_SUM = 0,
    SORT = 1,
    ADD_SORTED = 2,
    MASKED_SCATTER = 3,
    SCATTER = 1000,
};

struct RoutingMapGradSort {
    int64_t entries;
    int64_t runEntries;    // of every run but the last
    int64_t mergeEntries;  // of one list in UB
    int64_t levels;        // rounds of merges: the sorted entries are in half `levels % 2`
    int64_t usedCores;
};

struct RoutingMapGradScatter {
    int64_t elements;  // of the output
    int64_t experts;
    int64_t capacity;  // rows of each expert
    int64_t rows;
    int64_t batch;  // rows in UB at once
    int64_t usedCores;
};

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeTokenPermuteWithRoutingMapGradTilingData {
    RoutingMapGradJob job;  // of one launch; the other fields are the call's
    int64_t dtype;          // aclDataType: 0 fp32, 1 fp16, 27 bf16
    int64_t topK;           // slots per token where dropAndPad is false, else 0
    RowSumTiling rows;      // its batch counts tokens, or sorted entries
    int64_t rowCores;       // blocks of SLOT_SUM or ADD_SORTED
    RoutingMapGradSort sort;
    RoutingMapTiling mask;
    RoutingMapGradScatter scatter;
};
static_assert(sizeof(MoeTokenPermuteWithRoutingMapGradTilingData) == 208, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeTokenPermuteWithRoutingMapGradCall {
    int64_t tokens;
    int64_t experts;
    int64_t hidden;
    int64_t rows;        // of permutedTokenOutputGrad
    int64_t hasProbs;    // 1: their gradient is asked for
    int64_t dropAndPad;  // 0 or 1
    int64_t dtype;       // aclDataType: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define ROUTING_MAP_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or a sentence in `reason` (NUL-terminated, cut to
// reasonBytes): with 161002 where rows are no multiple of what shares them, with 561002 where
// neither kernels nor machine can do the call. Phase 1 has checked before that the data type is one
// of these, and all numbers and shapes.
ROUTING_MAP_GRAD_EXPORT int32_t MoeTokenPermuteWithRoutingMapGradTiling(
    const MoeTokenPermuteWithRoutingMapGradCall* call,
    MoeTokenPermuteWithRoutingMapGradTilingData* tiling, char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above. Of the gradient
// of the tokens where dropAndPad is false, for topK of 1 to 512:
//
//     "ub-bytes"       the least UB bytes; one less is rejected
//     "four-buffers"   the largest hidden in one tile with four input buffers; one more: with three
//     "three-buffers"  the largest hidden with three; one more: with two
//     "hidden"         the largest hidden in one tile; one more gives two tiles
//     "batch"          the most tokens of `hidden` columns in one batch of a core
//     "tokens"         the most tokens of `hidden` columns that give every core one batch
//     "cores"          the most tokens that give every core at most one token: `cores` itself
//
// and where it is true, whatever topK is:
//
//     "pad-ub-bytes", "pad-four-buffers", "pad-three-buffers", "pad-hidden"   as above
//     "entries"        the most sorted entries in UB beside a tile of `hidden` columns
//     "run"            the most rows that one core sorts in one run
//     "sorted"         the most rows that give every core at most one run
//     "merge"          the most entries of one list in one step of a merge
//
// Of the gradient of the probs:
//
//     "experts"        the most experts in one tile; one more gives two tiles, and one token per
//     tile "tile-tokens"    the most tokens in one tile of `hidden` experts "mask-ub-bytes"  the
//     least UB bytes where dropAndPad is false "scatter"        the most rows of one batch where it
//     is true
//
// Only those that say so read `hidden`; only "tokens", "cores" and "sorted" read `cores`. Returns 0
// where the UB is too small or topK is no topK, and -1 for an unknown axis.
ROUTING_MAP_GRAD_EXPORT int64_t
MoeTokenPermuteWithRoutingMapGradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                             uint32_t cores, uint64_t ubBytes, int64_t hidden);
}

#endif
