// The machine that a tiling is cut for, and what the simulated one wants to know of a launch.
#pragma once

#include <cstdint>

#include "aclnn/aclnn_base.h"

namespace opapi {

struct Machine {
    int64_t vectorCores = 0;
    int64_t ubBytes = 0;  // of one core, that a tiling may use
};

/// The current device's machine: the simulator's as configured, or what CANN says of the device.
/// 361001, with a text, where the runtime does not answer or the SoC is unknown.
aclnnStatus CurrentMachine(const char* function, Machine* machine);

/// Whether the CANN of this process is known to be older than major.minor.
bool IsBeforeCann(int major, int minor);

/// Names memory that the next launch may touch, for the simulator's bounds checks; elsewhere
/// nothing happens. `name` is kept by reference.
void DescribeRegion(const void* start, uint64_t bytes, const char* name, bool writable);

/// The same for memory that holds nothing when the launch begins.
void DescribeWorkspace(const void* start, uint64_t bytes, const char* name);

}  // namespace opapi
