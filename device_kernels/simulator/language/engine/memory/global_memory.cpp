#include "global_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../order/hold.h"
#include "../order/work.h"
#include "../report/constants.h"
#include "../schedule/launch.h"
#include "data_cache.h"
#include "global_accesses.h"
#include "poison.h"

namespace ascendsim {
namespace {

struct NamedRegion {
    uintptr_t start;
    uint64_t bytes;
    std::string name;
    Role role;
    RegionShadow* shadow = nullptr;
};

std::atomic<FindAllocation> findAllocation = nullptr;

// Described for the next launch, in force for the running one, and those of the one before it. A
// launch runs in one thread.
thread_local std::vector<NamedRegion> described;
thread_local std::vector<NamedRegion> inForce;
thread_local std::vector<NamedRegion> ended;
thread_local bool asksRuntime = false;
thread_local const void* kernelCode = nullptr;
thread_local size_t lastAllowed = 0;  // accesses come in runs: the region of the previous one

// The shadows of the running launch's regions, used again by later launches.
thread_local std::vector<std::unique_ptr<RegionShadow>> shadows;
thread_local size_t shadowsInUse = 0;

void AttachShadow(NamedRegion& region) {
    if (!kChecks || region.role == Role::Input) {
        return;
    }
    if (shadowsInUse == shadows.size()) {
        shadows.push_back(std::make_unique<RegionShadow>());
    }
    region.shadow = shadows[shadowsInUse++].get();
    region.shadow->role = region.role;
    region.shadow->name = region.name;
    region.shadow->start = region.start;
    region.shadow->bytes = region.bytes;
    region.shadow->accesses.Reset(region.bytes);
    region.shadow->undefined.Clear();
    if (region.role == Role::Workspace && region.bytes != 0) {
        region.shadow->undefined.Add(0, region.bytes);
    }
}

bool Holds(const NamedRegion& region, uintptr_t start, uint64_t bytes) {
    return start >= region.start && bytes <= region.bytes &&
           start - region.start <= region.bytes - bytes;
}

bool Permits(const NamedRegion& region, uintptr_t start, uint64_t bytes, Access access) {
    return Holds(region, start, bytes) && (region.role != Role::Input || access == Access::Read);
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
                       region.name == nullptr ? "allocation" : region.name,
                       region.writable ? Role::Output : Role::Input});
    AttachShadow(inForce.back());
    return true;
}

// A table that is loaded with the kernel becomes a region of the launch when it is first read.
bool LearnConstants(uintptr_t start, Access access) {
    if (access != Access::Read || kernelCode == nullptr) {
        return false;
    }
    const ConstantSegment segment = ConstantsAt(kernelCode, start);
    if (segment.bytes == 0) {
        return false;
    }
    inForce.push_back({segment.start, segment.bytes, "the kernel's constants", Role::Input});
    return true;
}

// The region that the access most likely meant: the one holding its tensor's base, else the one
// holding its start, else the one in which its offset is poison, else the nearest that ends at or
// before it. A wrapped offset leads anywhere.
const NamedRegion* Meant(uintptr_t base, uintptr_t start) {
    const NamedRegion* nearest = nullptr;
    const NamedRegion* poisoned = nullptr;
    for (const NamedRegion& region : inForce) {
        if (Holds(region, base, 1)) {
            return &region;
        }
        if (poisoned == nullptr && IsPoison(start - region.start)) {
            poisoned = &region;
        }
        if (region.start <= start && (nearest == nullptr || region.start > nearest->start)) {
            nearest = &region;
        }
    }
    const bool inside = nearest != nullptr && Holds(*nearest, start, 1);
    return poisoned != nullptr && !inside ? poisoned : nearest;
}

[[noreturn]] void Refuse(uintptr_t base, uintptr_t start, uint64_t bytes, Access access,
                         const char* operation, const Spot& spot) {
    const char* verb = access == Access::Read ? "reads" : "writes";
    for (const NamedRegion& region : inForce) {
        if (Holds(region, start, bytes)) {
            Stop(Code::GmReadOnly, spot, "%s writes %llu bytes at offset %llu of %s, an input",
                 operation, static_cast<unsigned long long>(bytes),
                 static_cast<unsigned long long>(start - region.start), region.name.c_str());
        }
    }
    if (const NamedRegion* meant = Meant(base, start)) {
        Stop(Code::GmOutOfBounds, spot, "%s %s %llu bytes at offset %lld of %s, which has %llu",
             operation, verb, static_cast<unsigned long long>(bytes),
             static_cast<long long>(start - meant->start), meant->name.c_str(),
             static_cast<unsigned long long>(meant->bytes));
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

RegionShadow* ShadowAt(const void* address) {
    const auto start = reinterpret_cast<uintptr_t>(address);
    if (lastAllowed < inForce.size() && Holds(inForce[lastAllowed], start, 0)) {
        return inForce[lastAllowed].shadow;
    }
    for (const NamedRegion& region : inForce) {
        if (Holds(region, start, 0)) {
            return region.shadow;
        }
    }
    return nullptr;
}

void RequireGlobal(const void* base, const void* address, uint64_t bytes, Access access,
                   const char* operation, const Spot& spot) {
    const auto start = reinterpret_cast<uintptr_t>(address);
    if (!Allowed(start, bytes, access) &&
        !((LearnFromRuntime(start) || LearnConstants(start, access)) &&
          Allowed(start, bytes, access))) {
        Refuse(reinterpret_cast<uintptr_t>(base), start, bytes, access, operation, spot);
    }
    if constexpr (kChecks) {
        CountGlobal(PipeOf(spot.pipe), bytes);
        const NamedRegion& region = inForce[lastAllowed];
        if (region.shadow != nullptr && bytes != 0) {
            DeclareGlobal(*region.shadow, region.name.c_str(), start, bytes, access,
                          {operation, spot.pipe, spot.where});
        }
    }
}

std::string NearestRegion(uint64_t address) {
    char text[64];
    std::snprintf(text, sizeof text, "address 0x%llx", static_cast<unsigned long long>(address));
    const NamedRegion* nearest = nullptr;
    uint64_t least = ~uint64_t{0};
    for (const NamedRegion& region : inForce) {
        const uint64_t end = region.start + region.bytes;
        const uint64_t away = address < region.start ? region.start - address
                              : address < end        ? 0
                                                     : address - end;
        if (away < least) {
            least = away;
            nearest = &region;
        }
    }
    if (nearest == nullptr) {
        return std::string(text) + ", near no buffer of the launch";
    }
    const auto offset = static_cast<int64_t>(address - nearest->start);
    return std::string(text) + ", offset " + std::to_string(offset) + " of " + nearest->name +
           ", which has " + std::to_string(nearest->bytes) + " bytes";
}

void RegisterFindAllocation(FindAllocation find) {
    if (!IsHeld(__func__)) {
        findAllocation = find;
    }
}

void BeginRegions(const void* code) {
    EmptyCaches();
    kernelCode = code;
    asksRuntime = described.empty();
    inForce.swap(described);
    described.clear();
    for (NamedRegion& region : inForce) {
        RequireAllocated(region);
        AttachShadow(region);
    }
}

std::function<void()> TakeDescribed() {
    return [taken = std::exchange(described, {})] { described = taken; };
}

void EndRegions() {
    ended.swap(inForce);
    inForce.clear();
    described.clear();
    shadowsInUse = 0;
}

void ForEachEndedOutput(
    const std::function<void(const std::string& name, const RegionShadow& region)>& body) {
    for (const NamedRegion& region : ended) {
        if (region.role == Role::Output && region.shadow != nullptr) {
            body(region.name, *region.shadow);
        }
    }
}

}  // namespace ascendsim

extern "C" void ascendsimDescribeRegion(const void* start, uint64_t bytes, const char* name,
                                        int writable) {
    ascendsim::described.push_back({reinterpret_cast<uintptr_t>(start), bytes,
                                    name == nullptr ? "region" : name,
                                    writable == 0   ? ascendsim::Role::Input
                                    : writable == 1 ? ascendsim::Role::Output
                                                    : ascendsim::Role::Workspace});
}
