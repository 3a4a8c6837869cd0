#include "core.h"

#include <mutex>
#include <stdexcept>
#include <vector>

#include "mapping.h"

namespace ascendsim {
namespace {

constexpr uint64_t kUbMapping = 256 * 1024;  // room for the UB of every product

std::mutex poolMutex;
// Leaked: a program may launch kernels from its static destructors.
std::vector<Core*>& pool = *new std::vector<Core*>;
thread_local Core* running = nullptr;

}  // namespace

Core* RunningCore() { return running; }

Core& CurrentCore() {
    if (running == nullptr) {
        throw std::logic_error("an Ascend C function was called outside a kernel");
    }
    return *running;
}

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

void RequireCleanEnd() {
    RequireNothingEnqueued();
    RequireNoFlagSet();
    const AtomicRegister& atomic = CurrentCore().registers.atomic;
    if (atomic.operation != Atomic::None) {
        Stop(Code::AtomicLeftSet, {atomic.setAt, "MTE3"},
             "the atomic mode set here is still set at the end of the kernel");
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
    core->blockIndex = blockIndex;
    core->blockCount = blockCount;
    core->flags = {};
    core->registers = {};
    core->pipes.clear();
    core->kernelType = KernelType::Automatic;
    core->softwareSyncs = 0;
    core->leftEnqueued = nullptr;
    if constexpr (kChecksAll) {
        core->syncLevel = ConfiguredSyncLevel();
        core->phase = 0;
        core->clocks = {};
        core->shadow.Reset(kUbMapping);
        core->undefined.Clear();
        core->operands.operands.clear();
        core->operands.pieces.clear();
    }
    return core;
}

void ReleaseCore(Core* core) {
    const std::lock_guard lock(poolMutex);
    pool.push_back(core);
}

void SwitchCore(Core* core) { running = core; }

}  // namespace ascendsim
