#include "global_memory.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "launch.h"

namespace ascendsim {
namespace {

struct NamedRegion {
    uintptr_t start;
    uint64_t bytes;
    std::string name;
    bool writable;
};

std::atomic<FindAllocation> findAllocation = nullptr;

// Described for the next launch, and in force for the running one. A launch runs in one thread.
thread_local std::vector<NamedRegion> described;
thread_local std::vector<NamedRegion> inForce;
thread_local bool asksRuntime = false;
thread_local size_t lastAllowed = 0;  // accesses come in runs: the region of the previous one

bool Holds(const NamedRegion& region, uintptr_t start, uint64_t bytes) {
    return start >= region.start && bytes <= region.bytes &&
           start - region.start <= region.bytes - bytes;
}

bool Permits(const NamedRegion& region, uintptr_t start, uint64_t bytes, Access access) {
    return Holds(region, start, bytes) && (region.writable || access == Access::Read);
}

bool Allowed(uintptr_t start, uint64_t bytes, Access access) {
    if (lastAllowed < inForce.size() && Permits(inForce[lastAllowed], start, bytes, access)) {
        return true;
    }
    for (size_t index = 0; index < inForce.size(); ++index) {
        if (Permits(inForce[index], start, bytes, access)) {
            lastAllowed = index;
            return true;
        }
    }
    return false;
}

bool LearnFromRuntime(uintptr_t start) {
    const FindAllocation find = findAllocation.load();
    Region region;
    if (!asksRuntime || find == nullptr || !find(reinterpret_cast<const void*>(start), &region)) {
        return false;
    }
    inForce.push_back({reinterpret_cast<uintptr_t>(region.start), region.bytes,
                       region.name == nullptr ? "allocation" : region.name, region.writable});
    return true;
}

// The region that the access most likely meant: the one holding its start, else the nearest that
// ends at or before it.
const NamedRegion* Nearest(uintptr_t start) {
    const NamedRegion* nearest = nullptr;
    for (const NamedRegion& region : inForce) {
        if (region.start <= start && (nearest == nullptr || region.start > nearest->start)) {
            nearest = &region;
        }
    }
    return nearest;
}

[[noreturn]] void Refuse(uintptr_t start, uint64_t bytes, Access access, const char* operation,
                         const Spot& spot) {
    const char* verb = access == Access::Read ? "reads" : "writes";
    for (const NamedRegion& region : inForce) {
        if (Holds(region, start, bytes)) {
            Stop(Code::GmReadOnly, spot, "%s writes %llu bytes at offset %llu of %s, an input",
                 operation, static_cast<unsigned long long>(bytes),
                 static_cast<unsigned long long>(start - region.start), region.name.c_str());
        }
    }
    if (const NamedRegion* nearest = Nearest(start)) {
        Stop(Code::GmOutOfBounds, spot, "%s %s %llu bytes at offset %llu of %s, which has %llu",
             operation, verb, static_cast<unsigned long long>(bytes),
             static_cast<unsigned long long>(start - nearest->start), nearest->name.c_str(),
             static_cast<unsigned long long>(nearest->bytes));
    }
    Stop(Code::GmOutOfBounds, spot, "%s %s %llu bytes at 0x%llx, below every region of this launch",
         operation, verb, static_cast<unsigned long long>(bytes),
         static_cast<unsigned long long>(start));
}

// Without a runtime nobody knows of allocations, and the caller's word has to do.
void RequireAllocated(const NamedRegion& region) {
    const FindAllocation find = findAllocation.load();
    if (find == nullptr || region.bytes == 0) {
        return;
    }
    const Spot spot{CallSite(), "", region.start};
    const auto bytes = static_cast<unsigned long long>(region.bytes);
    Region allocation;
    if (!find(reinterpret_cast<const void*>(region.start), &allocation)) {
        Stop(Code::GmOutOfBounds, spot,
             "%s is given as %llu bytes at 0x%llx, which no live allocation of the device holds",
             region.name.c_str(), bytes, static_cast<unsigned long long>(region.start));
    }
    const uint64_t offset = region.start - reinterpret_cast<uintptr_t>(allocation.start);
    const uint64_t room = allocation.bytes - std::min(offset, allocation.bytes);
    if (region.bytes > room) {
        Stop(Code::GmOutOfBounds, spot,
             "%s is given as %llu bytes at 0x%llx, whose allocation has %llu bytes from there",
             region.name.c_str(), bytes, static_cast<unsigned long long>(region.start),
             static_cast<unsigned long long>(room));
    }
}

}  // namespace

void RequireGlobal(const void* address, uint64_t bytes, Access access, const char* operation,
                   const Spot& spot) {
    const auto start = reinterpret_cast<uintptr_t>(address);
    if (Allowed(start, bytes, access)) {
        return;
    }
    if (LearnFromRuntime(start) && Allowed(start, bytes, access)) {
        return;
    }
    Refuse(start, bytes, access, operation, spot);
}

void RegisterFindAllocation(FindAllocation find) { findAllocation = find; }

void BeginRegions() {
    asksRuntime = described.empty();
    inForce.swap(described);
    described.clear();
    for (const NamedRegion& region : inForce) {
        RequireAllocated(region);
    }
}

void EndRegions() {
    inForce.clear();
    described.clear();
}

}  // namespace ascendsim

extern "C" void ascendsimDescribeRegion(const void* start, uint64_t bytes, const char* name,
                                        int writable) {
    ascendsim::described.push_back({reinterpret_cast<uintptr_t>(start), bytes,
                                    name == nullptr ? "region" : name, writable != 0});
}
