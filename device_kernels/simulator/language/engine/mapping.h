// Memory between two pages that fault: stacks and unified buffers.
#pragma once

#include <cstdint>

namespace ascendsim {

// `bytes` (rounded up to pages) of zeroed memory with an inaccessible page before and after it.
// Throws std::bad_alloc. Never unmapped: its users pool it.
uint8_t* MapGuarded(uint64_t bytes);

}  // namespace ascendsim
