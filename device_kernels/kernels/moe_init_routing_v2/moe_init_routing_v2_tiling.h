// What host and kernel of MoeInitRoutingV2 share: how the work is cut, in plain C++. Of slots that
// are sorted and of rows that are copied, ../shared/slot_copy_tiling.h says that.
//
// Dropless, where one core's unified buffer (UB) takes all slots in one run and a row in one tile,
// every core sorts all slots by itself, and none waits for another ("full load"). Otherwise the
// cores sort together, be it that one of them takes all slots or that they merge runs.
//
// Experts are counted with drop/pad, or where the call asks for it. A core counts the slots of its
// tokens, partSlots at a time, for tileEntries experts at a time, and adds that to the other
// cores' in global memory; with a full load it counts all slots for its share of the experts. With
// drop/pad the sums are the first ranks of the experts, and one entry more ends the last expert:
// the place of a slot is its rank less the first one of its expert. Rows that no slot takes are
// filled with zeros, zeroBytes at a time, by all cores.
//
// UB of one core, in bytes, for e entries, parts of m slots and z bytes of zeros:
//
//     count    entries 4 * e, indices 4 * m                each rounded up to 32
//     place    entries 4 * e, indices 4 * m, ranks 4 * m   each rounded up to 32
//     fill     entries 4 * e, zeros z                      each rounded up to 32
//
// Half of the UB goes to entries, the other half to the rest.
#ifndef MOE_INIT_ROUTING_V2_TILING_H
#define MOE_INIT_ROUTING_V2_TILING_H

#include <cstdint>

#include "../shared/routing/routing_call.h"
#include "../shared/routing/slot_counts_tiling.h"
#include "../shared/slots/slot_copy_tiling.h"

struct MoeInitRoutingV2TilingData {
    int64_t key;               // 1000 + 100 * (full load) + 10 * drop/pad + (elements have 16 bits)
    SlotCopyTiling slots;      // without probs, and from rank 0 on; drop/pad: the rows' places
    SlotCountsTiling counted;  // experts and slots at a time also where places are taken
    int64_t capacity;          // drop/pad: rows of every expert; else 0
    int64_t zeroBytes;         // at a time, of a row that no slot takes
    int64_t startsOffset;      // bytes into the workspace: drop/pad: the first ranks of the experts
};
static_assert(sizeof(MoeInitRoutingV2TilingData) == 208, "shared with the device");

struct MoeInitRoutingV2Call : RoutingCall {};

#define MOE_INIT_ROUTING_V2_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_INIT_ROUTING_V2_EXPORT int32_t MoeInitRoutingV2Tiling(const MoeInitRoutingV2Call* call,
                                                          MoeInitRoutingV2TilingData* tiling,
                                                          char* reason, uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for an aclDataType of above:
//
//     "ub-bytes"     the least UB bytes; one less is rejected
//     "sort"         the most slots (tokens * topK) that one core sorts by itself
//     "merge-1"      the most slots that one level of merges suffices for
//     "merge-2"      the most slots that two levels suffice for
//     "runs"         the most slots that give every core at most one run to sort
//     "cores"        the most tokens that give every core at most one token: `cores` itself
//     "hidden"       the largest hidden in one tile; one more gives two tiles, and no full load
//     "batch"        the most tokens of `hidden` columns in one batch of a core
//     "tokens"       the most tokens of `hidden` columns that give every core one batch
//     "experts"      the most experts that are counted at a time, dropless
//     "experts-pad"  the same with drop/pad
//     "part"         the most slots of a core that are counted at a time
//     "zeros"        the most elements of a core that one copy fills with zeros
//
// Returns 0 where the UB is below "ub-bytes" or topK or hidden make no sense, and -1 for an unknown
// axis.
MOE_INIT_ROUTING_V2_EXPORT int64_t MoeInitRoutingV2TilingLimit(const char* axis, int64_t topK,
                                                               int32_t dtype, uint32_t cores,
                                                               uint64_t ubBytes, int64_t hidden);
}

#endif
