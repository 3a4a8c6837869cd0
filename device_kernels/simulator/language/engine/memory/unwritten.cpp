// ascendsimUnwritten: the bytes of outputs that no block of a launch has written.
#include <string>

#include "../report/checks.h"
#include "../schedule/launch.h"
#include "global_memory.h"

namespace ascendsim {
namespace {

Ranges UnwrittenOf(const RegionShadow& region) {
    Ranges left;
    if (region.bytes != 0) {
        left.Add(0, region.bytes);
    }
    const auto remove = [&left](uint64_t start, uint64_t end, const Seen& /*seen*/) {
        left.Remove(start, end);
    };
    for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
        for (const Access access : {Access::Write, Access::Atomic}) {
            region.accesses.ForEach(static_cast<Pipe>(pipe), access, 0, region.bytes, remove);
        }
    }
    return left;
}

std::string Json() {
    std::string text = "[";
    ForEachEndedOutput([&text](const std::string& name, const RegionShadow& region) {
        UnwrittenOf(region).ForEachIn(0, region.bytes, [&](Bytes part) {
            text += text.size() > 1 ? "," : "";
            text += "{\"region\":" + Quoted(name) + ",\"offset\":" + std::to_string(part.start) +
                    ",\"bytes\":" + std::to_string(part.end - part.start) + "}";
        });
    });
    return text + "]";
}

}  // namespace
}  // namespace ascendsim

extern "C" uint64_t ascendsimUnwritten(char* buffer, uint64_t capacity) {
    using namespace ascendsim;
    return Written(kChecks ? Json() : "[]", buffer, capacity);
}
