// One vector core while it runs a block.
#pragma once

#include <cstdint>
#include <deque>

#include "flags.h"
#include "machine.h"
#include "unified_buffer.h"

namespace ascendsim {

struct Core {
    Machine machine{};
    uint32_t blockIndex = 0;
    uint32_t blockCount = 0;
    uint8_t* ub = nullptr;
    Flags flags;
    // Every TPipe that the block has constructed, in order; a deque keeps their addresses.
    std::deque<PipeState> pipes;
    const Buffer* leftEnqueued = nullptr;  // the first that a destroyed TPipe had still enqueued
};

// A new live TPipe of the running block; `pipe` is the object that stands for it.
PipeState& ConstructPipe(void* pipe);

// The object of the TPipe that the block constructed last. Stops the kernel if it is gone.
void* LastPipe(CallSite where);

// The core that runs in this thread: null outside a kernel. CurrentCore throws std::logic_error
// there: Ascend C was called on the host.
Core* RunningCore();
Core& CurrentCore();

// A core with all its state as after power-up, from a pool; back into the pool. Switching names the
// core of this thread (null: none).
Core* AcquireCore(const Machine& machine, uint32_t blockIndex, uint32_t blockCount);
void ReleaseCore(Core* core);
void SwitchCore(Core* core);

}  // namespace ascendsim
