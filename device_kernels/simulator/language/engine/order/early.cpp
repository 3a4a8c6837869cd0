#include "early.h"

#include <algorithm>
#include <string>

#include "../memory/global_memory.h"
#include "../schedule/core.h"

namespace ascendsim {
namespace {

const char* Verb(Access access) {
    return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "adds to";
}

const char* Participle(Access access) {
    return access == Access::Read ? "read" : access == Access::Write ? "written" : "added to";
}

// A memory and an offset in it.
struct Place {
    std::string memory;
    uint64_t offset;
};

Place PlaceOf(uint64_t address) {
    const Core& core = CurrentCore();
    const auto ub = reinterpret_cast<uint64_t>(core.ub);
    if (address >= ub && address - ub < core.machine.physicalUbBytes) {
        return {"UB", address - ub};
    }
    const RegionShadow* region = ShadowAt(reinterpret_cast<const void*>(address));
    return region == nullptr ? Place{"GM", address} : Place{region->name, address - region->start};
}

}  // namespace

bool TellEarly(const Footprint& early, const Footprint& late, const std::string& schedule) {
    for (const Touched& one : early.touched) {
        for (const Touched& other : late.touched) {
            const uint64_t start = std::max(one.start, other.start);
            if (start >= std::min(one.end, other.end) || !Conflict(one.access, other.access)) {
                continue;
            }
            if (IsRemarked(Code::EarlyAccess)) {
                return true;
            }
            const Place place = PlaceOf(start);
            const auto block = static_cast<int32_t>(CurrentCore().blockIndex);
            const Accessed before{late.doer.operation, late.doer.where, late.doer.pipe, block};
            const bool alone = PipeOf(early.doer.pipe) == PipeOf(late.doer.pipe);
            const std::string how =
                alone ? std::string("begins the next instruction of pipe ") + early.doer.pipe +
                            " meanwhile"
                      : std::string("runs pipe ") + early.doer.pipe + " ahead of " + late.doer.pipe;
            Remark(Code::EarlyAccess,
                   {early.doer.where, early.doer.pipe, place.memory == "UB" ? place.offset : start,
                    &before},
                   "%s %s %s from byte %llu on before %s in line %u has %s it: schedule %s %s",
                   early.doer.operation, Verb(one.access), place.memory.c_str(),
                   static_cast<unsigned long long>(place.offset), late.doer.operation,
                   late.doer.where.line(), Participle(other.access), schedule.c_str(), how.c_str());
            return true;
        }
    }
    return false;
}

}  // namespace ascendsim
