#include "core.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "../memory/data_cache.h"
#include "../memory/mapping.h"

namespace ascendsim {
namespace {

constexpr uint64_t kUbMapping = 256 * 1024;  // room for the UB of every product

std::mutex poolMutex;
// Leaked: a program may launch kernels from its static destructors.
std::vector<Core*>& pool = *new std::vector<Core*>;
thread_local Core* running = nullptr;
std::atomic<const Core*> runningAnywhere = nullptr;  // launches run one at a time

}  // namespace

Core* RunningCore() { return running; }

Core& CurrentCore() {
    if (running == nullptr) {
        throw std::logic_error("an Ascend C function was called outside a kernel");
    }
    return *running;
}

const Core* CoreOfProcess() { return runningAnywhere.load(std::memory_order_relaxed); }

void NoteCall(const char* operation, CallSite where) { CurrentCore().last = {operation, where}; }

PipeState& ConstructPipe(void* pipe) {
    PipeState& state = CurrentCore().pipes.emplace_back();
    state.object = pipe;
    state.live = true;
    return state;
}

void* LastPipe(CallSite where) {
    const Core& core = CurrentCore();
    if (core.pipes.empty() || core.pipes.back().object == nullptr) {
        Stop(Code::PipeState, {where},
             "GetTPipePtr while the last constructed TPipe does not exist");
    }
    return core.pipes.back().object;
}

Buffer* BufferAt(const uint8_t* memory, int64_t& offset) {
    auto& pipes = CurrentCore().pipes;
    for (auto pipe = pipes.rbegin(); pipe != pipes.rend(); ++pipe) {
        for (uint32_t index = 0; pipe->live && index < pipe->bufferCount; ++index) {
            Buffer& buffer = pipe->buffers[index];
            if (memory >= buffer.memory && memory < buffer.memory + buffer.bytes) {
                offset = memory - buffer.memory;
                return &buffer;
            }
        }
    }
    return nullptr;
}

void RequireCleanEnd() {
    RequireNothingEnqueued();
    RequireNoFlagSet();
    const AtomicRegister& atomic = CurrentCore().registers.atomic;
    if (atomic.operation != Atomic::None) {
        Stop(Code::AtomicLeftSet, {atomic.setAt, "MTE3"},
             "the atomic mode set here is still set at the end of the kernel");
    }
    if constexpr (kChecks) {
        RemarkDirtyLines();
    }
}

Core* AcquireCore(const Machine& machine, uint32_t blockIndex, uint32_t blockCount) {
    Core* core = nullptr;
    {
        const std::lock_guard lock(poolMutex);
        if (!pool.empty()) {
            core = pool.back();
            pool.pop_back();
        }
    }
    if (core == nullptr) {
        core = new Core;
        core->ub = MapGuarded(kUbMapping);
    }
    core->machine = machine;
    core->functions = ConfiguredFunctions();
    core->blockIndex = blockIndex;
    core->blockCount = blockCount;
    core->flags = {};
    core->registers = {};
    core->last = {};
    core->pipes.clear();
    core->kernelType = KernelType::Automatic;
    core->softwareSyncs = 0;
    core->leftEnqueued = nullptr;
    if constexpr (kChecks) {
        core->syncLevel = ConfiguredSyncLevel();
        core->phase = 0;
        core->clocks = {};
        core->work = {};
        core->pipelines.Begin(ConfiguredPipes(), blockIndex);
        core->shadow.Reset(kUbMapping);
        core->undefined.Clear();
        core->origins.Clear();
        core->operands.operands.clear();
        core->operands.pieces.clear();
    }
    return core;
}

void ReleaseCore(Core* core) {
    const std::lock_guard lock(poolMutex);
    pool.push_back(core);
}

void SwitchCore(Core* core) {
    running = core;
    runningAnywhere.store(core, std::memory_order_relaxed);
}

}  // namespace ascendsim
