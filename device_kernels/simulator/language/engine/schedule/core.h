// One vector core while it runs a block.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "../arithmetic/functions.h"
#include "../memory/access.h"
#include "../memory/origins.h"
#include "../memory/ranges.h"
#include "../memory/shadow.h"
#include "../memory/unified_buffer.h"
#include "../order/clocks.h"
#include "../order/flags.h"
#include "../order/pipelines.h"
#include "../order/sync_all.h"
#include "../order/work.h"
#include "machine.h"
#include "registers.h"

namespace ascendsim {

// A call of the kernel: where it was made.
struct LastCall {
    const char* operation = "";
    CallSite where{};
};

struct Core {
    Machine machine{};
    Functions functions = Functions::Rounded;
    uint32_t blockIndex = 0;
    uint32_t blockCount = 0;
    uint8_t* ub = nullptr;
    Flags flags;
    Registers registers;
    LastCall last;  // so that an ending without a call can be placed
    // Every TPipe that the block has constructed, in order; a deque keeps their addresses.
    std::deque<PipeState> pipes;
    KernelType kernelType = KernelType::Automatic;
    int32_t softwareSyncs = 0;             // calls of SyncAll that use global memory
    const Buffer* leftEnqueued = nullptr;  // the first that a destroyed TPipe had still enqueued

    // What the checks of level `all` know.
    SyncLevel syncLevel = SyncLevel::Vector;
    uint32_t phase = 0;  // how often all blocks have met in SyncAll
    Clocks clocks;
    Pipelines pipelines;  // in other schedules than that of the program
    Shadow shadow;        // of UB
    Operands operands;
    Ranges undefined;  // bytes of UB
    Origins origins;   // of some of them
    Work work;
    // What each flag that is set comes behind.
    std::array<std::array<ChainLength, kEventIds>, kHardEvents> chains;
};

// A new live TPipe of the running block; `pipe` is the object that stands for it.
PipeState& ConstructPipe(void* pipe);

// The object of the TPipe that the block constructed last. Stops the kernel if it is gone.
void* LastPipe(CallSite where);

// The buffer around an address of the memory that stands for UB, of the TPipe constructed last
// where several share it, and how far into it the address lies; null: there is none.
Buffer* BufferAt(const uint8_t* memory, int64_t& offset);

// Stops at the line that left a tensor enqueued, a flag or an atomic mode set. For the end of a
// kernel.
void RequireCleanEnd();

// The core that runs in this thread: null outside a kernel. CurrentCore throws std::logic_error
// there: Ascend C was called on the host.
Core* RunningCore();
Core& CurrentCore();

// The same for a signal's handler, which may run in any thread.
const Core* CoreOfProcess();

// Remembers the last call of the running core that names its line.
void NoteCall(const char* operation, CallSite where);

// A core with all its state as after power-up, from a pool; back into the pool. Switching names the
// core of this thread (null: none).
Core* AcquireCore(const Machine& machine, uint32_t blockIndex, uint32_t blockCount);
void ReleaseCore(Core* core);
void SwitchCore(Core* core);

}  // namespace ascendsim
