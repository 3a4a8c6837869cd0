// Device memory: a registry of allocations over host memory.
#pragma once

#include <cstdint>
#include <optional>

namespace ascendsim {

struct Allocation {
    uintptr_t start = 0;
    uint64_t bytes = 0;  // as asked for; the mapping behind it is larger
};

/// What a card of the 910B family has. Memory is committed when it is written, so a host with less
/// can still hold tensors whose offsets exceed 2^31.
inline constexpr uint64_t kDeviceMemoryBytes = uint64_t{64} << 30;

/// Fresh device memory holds this in every byte: a real device's is not zero either.
inline constexpr unsigned char kPoison = 0xCD;

/// The live allocation that `address` lies in.
std::optional<Allocation> AllocationAt(const void* address);

}  // namespace ascendsim
