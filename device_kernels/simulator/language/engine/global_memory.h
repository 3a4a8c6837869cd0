// Global memory (GM) as a kernel may see it: the regions of the running launch.
#pragma once

#include <cstdint>

#include "diagnostics.h"

namespace ascendsim {

enum class Access : uint8_t { Read, Write };

// Requires that [address, address + bytes) lies inside one region, a writable one if `access` says
// so. `operation` names the caller in the message: "DataCopyPad", "SetValue".
void RequireGlobal(const void* address, uint64_t bytes, Access access, const char* operation,
                   const Spot& spot);

// Takes over this thread's described regions for the launch that begins, and forgets them. Stops
// where one is not inside one live allocation: a tensor's own word for its size proves nothing.
void BeginRegions();
void EndRegions();

}  // namespace ascendsim
