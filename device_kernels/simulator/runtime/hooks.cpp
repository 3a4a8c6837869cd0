// Gives the language engine what it asks of the runtime (engine/launch.h): where an address lies,
// and where to leave a launch's failure.

#include "engine/launch.h"
#include "memory.h"
#include "stream.h"

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

void Report(void* stream, uint32_t status, const char* text) {
    FailStream(stream, static_cast<aclError>(status), text);
}

// At load: a launch does not need aclInit.
[[maybe_unused]] const bool registered = [] {
    RegisterFindAllocation(&Find);
    RegisterReportFailure(&Report);
    return true;
}();

}  // namespace
}  // namespace ascendsim
