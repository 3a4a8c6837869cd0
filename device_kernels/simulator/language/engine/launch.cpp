#include "launch.h"

#include <atomic>
#include <mutex>
#include <string>

#include "blocks.h"
#include "diagnostics.h"
#include "global_memory.h"
#include "hold.h"
#include "machine.h"
#include "tiling_key.h"
#include "trace.h"

namespace ascendsim {
namespace {

constexpr uint32_t kMostBlocks = 65535;

// One launch at a time, as blocks of two kernels never share this machine's cores.
std::mutex launchMutex;
std::atomic<ReportLaunch> reportLaunch = nullptr;

bool RunLaunch(uint32_t blocks, void (*entry)(void* const* args), void* const* args) {
    try {
        BeginRegions(reinterpret_cast<const void*>(entry));
    } catch (const KernelStopped&) {
        return false;
    }
    return RunBlocks(ConfiguredMachine(), blocks, entry, args);
}

uint32_t Refuse(const char* kernel, uint32_t blocks, void* stream) {
    const std::string text = "a launch needs a kernel and 1 to " + std::to_string(kMostBlocks) +
                             " blocks; this one has " + std::to_string(blocks);
    if (const ReportLaunch report = reportLaunch.load(); report != nullptr) {
        report({kernel, blocks, stream, kStatusInvalidParameter, text.c_str()});
    }
    return kStatusInvalidParameter;
}

}  // namespace

void RegisterReportLaunch(ReportLaunch report) {
    if (!IsHeld(__func__)) {
        reportLaunch = report;
    }
}

}  // namespace ascendsim

extern "C" uint32_t ascendsimLaunch(const char* kernel, uint32_t blocks, void* stream,
                                    void (*entry)(void* const* args), void* const* args,
                                    uint32_t argCount) {
    using namespace ascendsim;
    if (kernel == nullptr || entry == nullptr || (args == nullptr && argCount != 0) ||
        blocks == 0 || blocks > kMostBlocks) {
        EndRegions();
        EndTilingKey();
        return Refuse(kernel == nullptr ? "" : kernel, blocks, stream);
    }
    const std::lock_guard lock(launchMutex);
    BeginRecord(kernel);
    if (kChecksAll && Tracing()) {
        TraceLaunch(kernel, blocks);
    }
    const bool completed = RunLaunch(blocks, entry, args);
    EndRegions();
    EndTilingKey();
    const uint32_t status = completed ? kStatusOk : kStatusKernelException;
    const ReportLaunch report = reportLaunch.load();
    if (report == nullptr) {
        return status;
    }
    report({kernel, blocks, stream, status, EndRecord()});
    return kStatusOk;
}
