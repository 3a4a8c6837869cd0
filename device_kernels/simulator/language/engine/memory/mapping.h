// Memory between two ranges that fault: stacks and unified buffers.
#pragma once

#include <cstdint>

namespace ascendsim {

// What lies before and after guarded memory: more than a frame or a tile is likely to skip.
inline constexpr uint64_t kGuardBytes = 64 * 1024;

// `bytes` (rounded up to pages) of zeroed memory with kGuardBytes that fault before and after it.
// Throws std::bad_alloc. Never unmapped: its users pool it.
uint8_t* MapGuarded(uint64_t bytes);

}  // namespace ascendsim
