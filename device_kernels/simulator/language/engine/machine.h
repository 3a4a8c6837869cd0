// The simulated machine: its SoC, its vector cores, and the unified buffer (UB) of each.
#pragma once

#include <cstdint>

namespace ascendsim {

// In which order the blocks of a launch run, where the kernel itself orders nothing.
enum class BlockOrder : uint8_t { Forward };

struct Machine {
    const char* soc;
    uint32_t vectorCores;
    uint64_t physicalUbBytes;  // a kernel that allocates more is wrong
    uint64_t usableUbBytes;    // what a host tiling is told it may use
    BlockOrder order = BlockOrder::Forward;
};

// The machine of the next launch, as ascendsimConfigure left it.
Machine ConfiguredMachine();

}  // namespace ascendsim
