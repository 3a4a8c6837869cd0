// The simulated machine: its SoC, its vector cores, and the unified buffer (UB) of each.
#pragma once

#include <cstdint>

namespace ascendsim {

struct Machine {
    const char* soc;
    uint32_t vectorCores;
    uint64_t physicalUbBytes;  // a kernel that allocates more is wrong
    uint64_t usableUbBytes;    // what a host tiling is told it may use
};

// The machine of the next launch, as ascendsimConfigure left it.
Machine ConfiguredMachine();

}  // namespace ascendsim
