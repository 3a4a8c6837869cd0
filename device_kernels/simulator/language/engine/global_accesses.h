// Accesses of a writable region: ordered inside a block by its pipes' clocks, between blocks by
// SyncAll only.
#pragma once

#include <cstdint>

#include "global_memory.h"

namespace ascendsim {

// The running block touches bytes of the region from `address` on. `name` is the region's.
void DeclareGlobal(RegionShadow& region, const char* name, uint64_t address, uint64_t bytes,
                   Access access, const Doer& doer);

}  // namespace ascendsim
