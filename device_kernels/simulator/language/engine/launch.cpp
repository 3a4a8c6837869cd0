#include "launch.h"

#include <atomic>
#include <mutex>

#include "blocks.h"
#include "diagnostics.h"
#include "global_memory.h"
#include "machine.h"
#include "tiling_key.h"
#include "trace.h"

namespace ascendsim {
namespace {

constexpr uint32_t kMostBlocks = 65535;

// One launch at a time, as blocks of two kernels never share this machine's cores.
std::mutex launchMutex;
std::atomic<ReportFailure> reportFailure = nullptr;

bool RunLaunch(uint32_t blocks, void (*entry)(void* const* args), void* const* args) {
    try {
        BeginRegions(reinterpret_cast<const void*>(entry));
    } catch (const KernelStopped&) {
        return false;
    }
    return RunBlocks(ConfiguredMachine(), blocks, entry, args);
}

}  // namespace

void RegisterReportFailure(ReportFailure report) { reportFailure = report; }

}  // namespace ascendsim

extern "C" uint32_t ascendsimLaunch(const char* kernel, uint32_t blocks, void* stream,
                                    void (*entry)(void* const* args), void* const* args,
                                    uint32_t argCount) {
    using namespace ascendsim;
    if (kernel == nullptr || entry == nullptr || (args == nullptr && argCount != 0) ||
        blocks == 0 || blocks > kMostBlocks) {
        EndRegions();
        EndTilingKey();
        return kStatusInvalidParameter;
    }
    const std::lock_guard lock(launchMutex);
    BeginRecord(kernel);
    if (kChecksAll && Tracing()) {
        TraceLaunch(kernel, blocks);
    }
    const bool completed = RunLaunch(blocks, entry, args);
    EndRegions();
    EndTilingKey();
    const char* text = EndRecord();
    if (completed) {
        return kStatusOk;
    }
    const ReportFailure report = reportFailure.load();
    if (report == nullptr) {
        return kStatusKernelException;
    }
    report(stream, kStatusKernelException, text);
    return kStatusOk;
}
