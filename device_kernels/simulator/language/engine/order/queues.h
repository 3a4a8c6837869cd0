// The tensor queues of a kernel: a ring of UB buffers handed from one pipe to the next.
#pragma once

#include <array>
#include <cstdint>

#include "../memory/unified_buffer.h"

namespace ascendsim {

// The state inside a TQue or TQueBind. Its buffers are `count` neighbours from `buffers`.
struct QueueState {
    uint32_t depth;        // tensors that may be enqueued at once
    uint32_t filledEvent;  // HardEvent from the producing to the consuming pipe
    uint32_t freedEvent;   // and back
    PipeState* pipe = nullptr;
    Buffer* buffers = nullptr;
    uint32_t count = 0;
    uint32_t cursor = 0;  // where the search for a free buffer begins
    uint32_t head = 0;    // oldest enqueued entry of `order`
    uint32_t enqueued = 0;
    std::array<Buffer*, kMostBuffers> order{};
};

void InitQueue(QueueState& queue, PipeState& pipe, uint32_t count, uint64_t bytes, CallSite where);
Buffer* AllocTensor(QueueState& queue, CallSite where);
void EnQue(QueueState& queue, Handle tensor, CallSite where);
Buffer* DeQue(QueueState& queue, CallSite where);
// By positions of the kernel's own choice: another HardEvent than the queue's, and the tensor may
// have been through the queue before.
void EnQueBy(QueueState& queue, Handle tensor, uint32_t event, CallSite where);
Buffer* DeQueBy(QueueState& queue, uint32_t event, CallSite where);
void FreeTensor(QueueState& queue, Handle tensor, CallSite where);

}  // namespace ascendsim
