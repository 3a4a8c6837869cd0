// Device memory: a registry of allocations over host memory.
#pragma once

#include <cstdint>
#include <optional>

namespace ascendsim {

struct Allocation {
    uintptr_t start = 0;
    uint64_t bytes = 0;  // as asked for; the mapping behind it is larger
};

/// Fresh device memory holds this word: a real device's is not zero either. The engine has the
/// table of all such words (language/engine/poison.h).
inline constexpr uint16_t kPoison = 0x7FED;

/// Bytes of all live allocations, as asked for.
uint64_t LiveBytes();

/// The live allocation that `address` lies in.
std::optional<Allocation> AllocationAt(const void* address);

}  // namespace ascendsim
