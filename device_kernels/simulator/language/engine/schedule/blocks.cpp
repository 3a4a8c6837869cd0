#include "blocks.h"

#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "../order/barriers.h"
#include "core.h"
#include "faults.h"
#include "fiber.h"
#include "settings.h"

namespace ascendsim {
namespace {

enum class Wake : uint8_t { GoOn, Deadlock, Unwind };

struct Block {
    void (*entry)(void* const* args);
    void* const* args;
    Core* core = nullptr;
    Fiber* fiber = nullptr;
    bool completed = false;
    uint32_t participants = 0;  // of the barrier that it waits at
    uint32_t waiting = 0;       // blocks that wait when it is woken up for a deadlock
    Wake wake = Wake::GoOn;
};

thread_local Block* current = nullptr;

// Fibers that no block uses. Leaked, like the cores; launches run one at a time.
std::vector<Fiber*>& freeFibers = *new std::vector<Fiber*>;

Fiber* AcquireFiber() {
    if (freeFibers.empty()) {
        return new Fiber;
    }
    Fiber* fiber = freeFibers.back();
    freeFibers.pop_back();
    return fiber;
}

// The first function on a block's stack: nothing that the kernel throws goes further.
void RunBlock(void* argument) {
    auto* block = static_cast<Block*>(argument);
    try {
        try {
            block->entry(block->args);
            block->core->pipelines.FinishAll();
            RequireCleanEnd();
            block->completed = true;
        } catch (const KernelStopped&) {
            throw;
        } catch (const std::bad_alloc&) {
            Stop(Code::MemoryExhausted, {block->core->last.where, "S"},
                 "the process has no memory left for the kernel");
        } catch (const std::exception& error) {
            Stop(Code::KernelCrash, {block->core->last.where, "S"},
                 "an exception left the kernel: %s", error.what());
        } catch (...) {
            Stop(Code::KernelCrash, {block->core->last.where, "S"},
                 "an exception of unknown type left the kernel");
        }
    } catch (const KernelStopped&) {
        block->completed = false;  // the finding is already recorded
    }
}

using Blocks = std::vector<std::unique_ptr<Block>>;

// Lets a block run until it ends or waits. Returns false when it ended with an error.
bool Advance(std::unique_ptr<Block> block, Wake wake, Blocks& waiting) {
    current = block.get();
    SwitchCore(block->core);
    block->wake = wake;
    if (block->fiber == nullptr) {
        block->fiber = AcquireFiber();
        block->fiber->Run(&RunBlock, block.get());
    } else {
        block->fiber->Resume();
    }
    if (const Fault fault = TakeFault(); fault.signal != 0) {
        RecordFault(fault, *block->fiber);
    }
    SwitchCore(nullptr);
    current = nullptr;
    if (!block->fiber->Finished()) {
        waiting.push_back(std::move(block));
        return true;
    }
    freeFibers.push_back(block->fiber);
    AddWork(block->core->work);
    ReleaseCore(block->core);
    return block->completed;
}

// All blocks of a barrier come behind the longest chain of any of them.
void Meet(const Blocks& together) {
    ChainLength chain;
    for (const auto& block : together) {
        chain = Longer(chain, block->core->work.Chain());
    }
    for (const auto& block : together) {
        block->core->work.Meet(chain);
    }
}

// Wakes up every block of a barrier; those that wait again are in `waiting` afterwards.
bool PassBarrier(Blocks& waiting) {
    Blocks together;
    together.swap(waiting);
    for (const auto& block : together) {
        if (block->participants != together.size()) {
            together.front()->waiting = static_cast<uint32_t>(together.size());
            together.swap(waiting);
            std::unique_ptr<Block> longest = std::move(waiting.front());
            waiting.erase(waiting.begin());
            return Advance(std::move(longest), Wake::Deadlock, waiting);
        }
    }
    Meet(together);
    for (size_t index = 0; index < together.size(); ++index) {
        if (!Advance(std::move(together[index]), Wake::GoOn, waiting)) {
            for (++index; index < together.size(); ++index) {
                waiting.push_back(std::move(together[index]));
            }
            return false;
        }
    }
    return true;
}

// Unwinds the blocks that wait: their objects live on stacks that are used again.
void Unwind(Blocks& waiting) {
    while (!waiting.empty()) {
        std::unique_ptr<Block> block = std::move(waiting.back());
        waiting.pop_back();
        Advance(std::move(block), Wake::Unwind, waiting);
    }
}

}  // namespace

bool RunBlocks(const Machine& machine, uint32_t blocks, void (*entry)(void* const* args),
               void* const* args) {
    const FaultWatch watch;
    Blocks waiting;
    bool fine = true;
    for (const uint32_t index : BlockOrder(blocks)) {
        auto block = std::make_unique<Block>(Block{entry, args});
        block->core = AcquireCore(machine, index, blocks);
        fine = Advance(std::move(block), Wake::GoOn, waiting);
        if (!fine) {
            break;
        }
    }
    while (fine && !waiting.empty()) {
        fine = PassBarrier(waiting);
    }
    Unwind(waiting);
    return fine;
}

void WaitForBlocks(uint32_t participants, CallSite where) {
    Block* block = current;
    block->core->pipelines.FinishAll();
    block->participants = participants;
    block->fiber->Leave();
    if (block->wake == Wake::Unwind) {
        throw KernelStopped{};
    }
    if (block->wake == Wake::Deadlock) {
        Stop(Code::SyncDeadlock, {where, "S"},
             "SyncAll waits for %u blocks and %u of them call it: the others have ended, or wait "
             "for another number",
             participants, block->waiting);
    }
    if constexpr (kChecks) {
        EnterNextPhase();
    }
}

}  // namespace ascendsim
