// What the runtime registers with the engine, as small as it can be: one allocation, one failure.
#include <cstring>

#include "engine/schedule/launch.h"

namespace {

ascendsim::Region allocation;
void* failedStream;
uint32_t failureStatus;
char failureText[1024];

bool FindOne(const void* address, ascendsim::Region* out) {
    const auto* start = static_cast<const char*>(allocation.start);
    const auto* wanted = static_cast<const char*>(address);
    if (wanted < start || wanted >= start + allocation.bytes) {
        return false;
    }
    *out = allocation;
    return true;
}

void Remember(const ascendsim::LaunchEnd& end) {
    if (end.status == ascendsim::kStatusKernelException) {
        failedStream = end.stream;
        failureStatus = end.status;
        std::strncpy(failureText, end.text, sizeof failureText - 1);
    }
}

}  // namespace

extern "C" void stand_in_begin(void* start, uint64_t bytes) {
    allocation = {start, bytes, "the allocation", true};
    failedStream = nullptr;
    failureStatus = 0;
    ascendsim::RegisterFindAllocation(&FindOne);
    ascendsim::RegisterReportLaunch(&Remember);
}

extern "C" void stand_in_end() {
    ascendsim::RegisterFindAllocation(nullptr);
    ascendsim::RegisterReportLaunch(nullptr);
}

extern "C" void* stand_in_failed_stream() { return failedStream; }
extern "C" uint32_t stand_in_failure_status() { return failureStatus; }
extern "C" const char* stand_in_failure_text() { return failureText; }
extern "C" const char* stand_in_soc() { return ascendsim::SocName(); }
