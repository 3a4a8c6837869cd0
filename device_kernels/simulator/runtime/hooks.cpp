// Gives the language engine what it asks of the runtime (engine/launch.h): where an address lies,
// and where to tell how a launch ended.

#include <string>

#include "engine/schedule/launch.h"
#include "memory.h"
#include "stream.h"
#include "tally.h"

namespace ascendsim {
namespace {

bool Find(const void* address, Region* out) {
    const std::optional<Allocation> allocation = AllocationAt(address);
    if (!allocation) {
        return false;
    }
    out->start = reinterpret_cast<const void*>(allocation->start);
    out->bytes = allocation->bytes;
    out->name = "device memory";
    out->writable = true;
    return true;
}

void Report(const LaunchEnd& end) {
    CountLaunch();
    if (end.status == kStatusOk) {
        return;
    }
    const auto status = static_cast<aclError>(end.status);
    const std::string what = std::string("the launch of ") + end.kernel + " with " +
                             std::to_string(end.blocks) + (end.blocks == 1 ? " block" : " blocks");
    KeepFailure(what, status, end.text, /*isLaunch=*/true);
    if (end.status == kStatusKernelException) {
        FailStream(end.stream, status, end.text);
    }
}

// At load: a launch does not need aclInit.
[[maybe_unused]] const bool registered = [] {
    RegisterFindAllocation(&Find);
    RegisterReportLaunch(&Report);
    return true;
}();

}  // namespace
}  // namespace ascendsim
