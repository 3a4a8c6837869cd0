// Constant tables of a kernel in global memory: `const __gm__ int32_t table[] = {...}` is loaded
// with the kernel's binary, so a launch may read it and nobody describes it as a region.
#pragma once

#include <cstdint>

namespace ascendsim {

struct ConstantSegment {
    uintptr_t start = 0;
    uint64_t bytes = 0;  // 0: there is none
};

// The read-only segment that holds `address`, of the library that holds `code`.
ConstantSegment ConstantsAt(const void* code, uintptr_t address);

}  // namespace ascendsim
