// Accesses of a writable region: ordered inside a block by its pipes' clocks, between blocks by
// SyncAll only.
#pragma once

#include <cstdint>

#include "global_memory.h"

namespace ascendsim {

// The other block that has made this access since the last SyncAll, as seen from a block in a
// phase; -1: none.
inline int32_t RivalOf(const Seen& before, int32_t block, uint32_t phase) {
    if (before.phase != phase) {
        return -1;
    }
    return before.block != block ? before.block : before.sharer;
}

// The running block touches bytes of the region from `address` on. `name` is the region's.
void DeclareGlobal(RegionShadow& region, const char* name, uint64_t address, uint64_t bytes,
                   Access access, const Doer& doer);

}  // namespace ascendsim
