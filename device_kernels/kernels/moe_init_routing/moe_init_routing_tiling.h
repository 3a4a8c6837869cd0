// What host and kernel of MoeInitRouting share: how the work is cut, in plain C++.
//
// The slots, which are the elements of expertIdx, are sorted twice
// (../shared/sorting/stable_sort_tiling.h). Then the rows of the output are cut over the cores and
// into batches of a core, and each is fetched from its token: ../shared/slots/slot_copy_tiling.h
// with rows in place of tokens, each of one slot.
#ifndef MOE_INIT_ROUTING_TILING_H
#define MOE_INIT_ROUTING_TILING_H

#include <cstdint>

#include "../shared/slots/slot_copy_tiling.h"

struct MoeInitRoutingTilingData {
    int64_t key;           // 1000 + (elements have 16 bits)
    SlotCopyTiling slots;  // endRank: rows of the output, which tokensPerCore and batches count
};
static_assert(sizeof(MoeInitRoutingTilingData) == 152, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeInitRoutingCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;     // of expandedXOut
    int64_t dtype;    // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_INIT_ROUTING_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_INIT_ROUTING_EXPORT int32_t MoeInitRoutingTiling(const MoeInitRoutingCall* call,
                                                     MoeInitRoutingTilingData* tiling, char* reason,
                                                     uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above and any topK:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "sort"      the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"   the most slots that one level of merges suffices for
//     "merge-2"   the most slots that two levels suffice for
//     "runs"      the most slots that give every core at most one run to sort
//     "cores"     the most rows of the output that give every core at most one: `cores` itself
//     "hidden"    the largest hidden in one tile; one more gives two tiles
//     "batch"     the most rows of `hidden` columns in one batch of a core
//     "tokens"    the most rows of `hidden` columns that give every core one batch
//
// Returns 0 where the UB is below "ub-bytes" or hidden makes no sense, and -1 for an unknown axis.
MOE_INIT_ROUTING_EXPORT int64_t MoeInitRoutingTilingLimit(const char* axis, int64_t topK,
                                                          int32_t dtype, uint32_t cores,
                                                          uint64_t ubBytes, int64_t hidden);
}

#endif
