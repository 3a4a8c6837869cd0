#include "launch.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "../memory/global_memory.h"
#include "../order/hold.h"
#include "../order/trace.h"
#include "../order/work.h"
#include "../report/diagnostics.h"
#include "blocks.h"
#include "machine.h"
#include "tiling_key.h"

namespace ascendsim {
namespace {

constexpr uint32_t kMostBlocks = 65535;

// One launch at a time, as blocks of two kernels never share this machine's cores.
std::mutex launchMutex;
std::atomic<ReportLaunch> reportLaunch = nullptr;
std::atomic<SubmitLaunch> submitLaunch = nullptr;

bool RunLaunch(uint32_t blocks, void (*entry)(void* const* args), void* const* args) {
    try {
        BeginRegions(reinterpret_cast<const void*>(entry));
    } catch (const KernelStopped&) {
        return false;
    }
    return RunBlocks(ConfiguredMachine(), blocks, entry, args);
}

// One launch from its beginning to its report.
uint32_t Carry(const char* kernel, uint32_t blocks, void* stream, void (*entry)(void* const* args),
               void* const* args) {
    const std::lock_guard lock(launchMutex);
    BeginRecord(kernel);
    if (kChecks && Tracing()) {
        TraceLaunch(kernel, blocks);
    }
    const bool completed = RunLaunch(blocks, entry, args);
    EndRegions();
    EndTilingKey();
    EndWork();
    const uint32_t status = completed ? kStatusOk : kStatusKernelException;
    const ReportLaunch report = reportLaunch.load();
    if (report == nullptr) {
        return status;
    }
    report({kernel, blocks, stream, status, EndRecord()});
    return kStatusOk;
}

// Whether the runtime has taken the launch as a task: with all that it would find in this thread.
bool IsSubmitted(const char* kernel, uint32_t blocks, void* stream,
                 void (*entry)(void* const* args), const std::vector<void*>& args) {
    const SubmitLaunch submit = submitLaunch.load();
    if (submit == nullptr) {
        return false;
    }
    const std::function<void()> describe = TakeDescribed();
    const uint64_t key = TilingKey();
    const bool isTaken = submit(stream, [=, name = std::string(kernel)] {
        describe();
        ascendsimTilingKey(key);
        Carry(name.c_str(), blocks, stream, entry, args.data());
    });
    if (isTaken) {
        EndTilingKey();
    } else {
        describe();
    }
    return isTaken;
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

void RegisterSubmitLaunch(SubmitLaunch submit) {
    if (!IsHeld(__func__)) {
        submitLaunch = submit;
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
    if (IsSubmitted(kernel, blocks, stream, entry, std::vector<void*>(args, args + argCount))) {
        return kStatusOk;
    }
    return Carry(kernel, blocks, stream, entry, args);
}
