#include "launch.h"

#include <atomic>
#include <exception>
#include <mutex>

#include "core.h"
#include "diagnostics.h"
#include "fiber.h"
#include "flags.h"
#include "global_memory.h"

namespace ascendsim {
namespace {

constexpr uint32_t kMostBlocks = 65535;

// One launch at a time, as blocks of two kernels never share this machine's cores.
std::mutex launchMutex;
std::atomic<ReportFailure> reportFailure = nullptr;

struct Block {
    void (*entry)(void* const* args);
    void* const* args;
    bool completed = false;
};

// The first function on a block's stack: nothing that the kernel throws goes further.
void RunBlock(void* argument) {
    auto* block = static_cast<Block*>(argument);
    try {
        try {
            block->entry(block->args);
            RequireNothingEnqueued();
            RequireNoFlagSet();
            block->completed = true;
        } catch (const KernelStopped&) {
            throw;
        } catch (const std::exception& error) {
            Stop(Code::KernelCrash, {CallSite()}, "an exception left the kernel: %s", error.what());
        } catch (...) {
            Stop(Code::KernelCrash, {CallSite()}, "an exception of unknown type left the kernel");
        }
    } catch (const KernelStopped&) {
        block->completed = false;  // the finding is already recorded
    }
}

bool RunBlocks(const Machine& machine, uint32_t blocks, void (*entry)(void* const* args),
               void* const* args) {
    static Fiber& fiber = *new Fiber;  // leaked, like the cores
    for (uint32_t index = 0; index < blocks; ++index) {
        Core* core = AcquireCore(machine, index, blocks);
        Block block{entry, args};
        SwitchCore(core);
        fiber.Run(&RunBlock, &block);
        SwitchCore(nullptr);
        ReleaseCore(core);
        if (!block.completed) {
            return false;
        }
    }
    return true;
}

bool RunLaunch(uint32_t blocks, void (*entry)(void* const* args), void* const* args) {
    try {
        BeginRegions();
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
        return kStatusInvalidParameter;
    }
    const std::lock_guard lock(launchMutex);
    BeginRecord(kernel);
    const bool completed = RunLaunch(blocks, entry, args);
    EndRegions();
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
