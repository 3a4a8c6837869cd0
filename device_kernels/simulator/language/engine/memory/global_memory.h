// Global memory (GM) as a kernel may see it: the regions of the running launch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "../report/diagnostics.h"
#include "access.h"

namespace ascendsim {

// What a launch may do with a region.
enum class Role : uint8_t {
    Input,
    Output,    // its bytes may be read: they are what the caller left there
    Workspace  // nothing has defined its bytes when the launch begins
};

// Advice on bytes of a workspace that nobody wrote.
inline constexpr const char* kWriteWorkspace =
    "Write a workspace before it is read, or zero it: nothing else does.";

// What the checks of level `all` know of one writable region.
struct RegionShadow {
    Role role = Role::Output;
    std::string name;
    uint64_t start = 0;
    uint64_t bytes = 0;
    Shadow accesses;
    Ranges undefined;

    uint64_t Offset(const void* address) const {
        return reinterpret_cast<uint64_t>(address) - start;
    }
};

// The shadow of the region that the previous RequireGlobal allowed and that holds `address`; null
// for an input.
RegionShadow* ShadowAt(const void* address);

// Requires that [address, address + bytes) lies inside one region, a writable one if `access` says
// so. `operation` names the caller in the message ("DataCopyPad", "SetValue"), and the region that
// holds `base`, the address of the caller's tensor, is the one the message speaks of.
void RequireGlobal(const void* base, const void* address, uint64_t bytes, Access access,
                   const char* operation, const Spot& spot);

// Where an address lies that no region holds: its offset in the nearest one, as words.
std::string NearestRegion(uint64_t address);

// Takes over this thread's described regions for the launch that begins, and forgets them. Stops
// where one is not inside one live allocation: a tensor's own word for its size proves nothing.
// `code` is a function of the kernel, whose library's constants may be read.
void BeginRegions(const void* code);
void EndRegions();

// Takes this thread's described regions away from its next launch: a function that describes them
// again, in whichever thread the launch will run.
std::function<void()> TakeDescribed();

// Calls `body` for every output of the launch that ended last in this thread.
void ForEachEndedOutput(
    const std::function<void(const std::string& name, const RegionShadow& region)>& body);

}  // namespace ascendsim
