#include "queues.h"

#include "../memory/definedness.h"
#include "../schedule/core.h"

namespace ascendsim {
namespace {

const char* StateName(BufferState state) {
    switch (state) {
        case BufferState::Free:
            return "free";
        case BufferState::Allocated:
            return "allocated";
        case BufferState::Enqueued:
            return "enqueued";
        case BufferState::Dequeued:
            return "dequeued";
        case BufferState::Owned:
            return "owned by a TBuf";
        case BufferState::Released:
            return "of a destroyed TPipe";
    }
    return "unknown";
}

void RequireBuffers(const QueueState& queue, const char* operation, CallSite where) {
    if (queue.buffers == nullptr) {
        Stop(Code::QueueState, {where}, "%s on a queue without InitBuffer", operation);
    }
    if (queue.buffers->state == BufferState::Released) {
        Stop(Code::PipeState, {where}, "%s on a queue of a destroyed TPipe", operation);
    }
}

void RequireOwn(const QueueState& queue, Handle tensor, const char* operation, CallSite where) {
    RequireBuffers(queue, operation, where);
    const Buffer* buffer = tensor.buffer;
    if (buffer == nullptr) {
        Stop(Code::QueueState, {where}, "%s of a LocalTensor that was never allocated", operation);
    }
    if (buffer->queue != &queue) {
        Stop(Code::QueueState, {where, "", buffer->start}, "%s of a tensor of another queue",
             operation);
    }
    if (buffer->generation != tensor.generation) {
        Stop(Code::QueueState, {where, "", buffer->start},
             "%s of a tensor that was freed before; AllocTensor has handed its buffer out again",
             operation);
    }
}

}  // namespace

void InitQueue(QueueState& queue, PipeState& pipe, uint32_t count, uint64_t bytes, CallSite where) {
    for (uint32_t index = 0; index < queue.count; ++index) {
        const BufferState state = queue.buffers[index].state;
        if (state != BufferState::Free && state != BufferState::Released) {
            Stop(Code::QueueState, {where, "", queue.buffers[index].start},
                 "InitBuffer of a queue that has a tensor which is %s", StateName(state));
        }
    }
    queue.buffers = AllocateBuffers(pipe, count, bytes, BufferState::Free, &queue, where);
    queue.pipe = &pipe;
    queue.count = count;
    queue.cursor = 0;
    queue.head = 0;
    queue.enqueued = 0;
}

Buffer* AllocTensor(QueueState& queue, CallSite where) {
    RequireBuffers(queue, "AllocTensor", where);
    for (uint32_t tried = 0; tried < queue.count; ++tried) {
        Buffer& buffer = queue.buffers[(queue.cursor + tried) % queue.count];
        if (buffer.state == BufferState::Free) {
            queue.cursor = (queue.cursor + tried + 1) % queue.count;
            if (buffer.freedEvent != kNoEvent) {
                queue.pipe->eventIds.Lower(queue.freedEvent, buffer.freedEvent, where);
                buffer.freedEvent = kNoEvent;
            }
            buffer.state = BufferState::Allocated;
            ++buffer.generation;
            if constexpr (kChecks) {
                MarkUndefined(buffer.start,
                              buffer.bytes);  // what is left there is another tensor's
            }
            return &buffer;
        }
    }
    Stop(Code::QueueFull, {where}, "AllocTensor while all %u buffers of the queue are in use",
         queue.count);
}

void EnQue(QueueState& queue, Handle tensor, CallSite where) {
    RequireOwn(queue, tensor, "EnQue", where);
    const Buffer* buffer = tensor.buffer;
    if (buffer->state != BufferState::Allocated) {
        Concern(Code::QueueState, {where, "", buffer->start},
                "EnQue of a tensor that is %s, not allocated", StateName(buffer->state));
    }
    EnQueBy(queue, tensor, queue.filledEvent, where);
}

void EnQueBy(QueueState& queue, Handle tensor, uint32_t event, CallSite where) {
    RequireOwn(queue, tensor, "EnQue", where);
    Buffer* buffer = tensor.buffer;
    if (buffer->state != BufferState::Allocated && buffer->state != BufferState::Dequeued) {
        Stop(Code::QueueState, {where, "", buffer->start},
             "EnQue of a tensor that is %s, neither allocated nor dequeued",
             StateName(buffer->state));
    }
    if (queue.enqueued == queue.depth) {
        Stop(Code::QueueFull, {where}, "EnQue beyond the depth of the queue, %u", queue.depth);
    }
    buffer->filledEvent = queue.pipe->eventIds.Raise(event, where);
    buffer->filledBy = event;
    buffer->state = BufferState::Enqueued;
    buffer->enqueuedAt = where;
    queue.order[(queue.head + queue.enqueued) % kMostBuffers] = buffer;
    ++queue.enqueued;
}

Buffer* DeQue(QueueState& queue, CallSite where) {
    return DeQueBy(queue, queue.filledEvent, where);
}

Buffer* DeQueBy(QueueState& queue, uint32_t event, CallSite where) {
    RequireBuffers(queue, "DeQue", where);
    if (queue.enqueued == 0) {
        Stop(Code::QueueEmpty, {where}, "DeQue of an empty queue");
    }
    Buffer* buffer = queue.order[queue.head];
    if (buffer->filledBy != event) {
        Stop(Code::QueueState, {where, "", buffer->start},
             "DeQue waits for another flag than EnQue has set: their positions differ");
    }
    queue.head = (queue.head + 1) % kMostBuffers;
    --queue.enqueued;
    queue.pipe->eventIds.Lower(event, buffer->filledEvent, where);
    buffer->filledEvent = kNoEvent;
    buffer->state = BufferState::Dequeued;
    return buffer;
}

void FreeTensor(QueueState& queue, Handle tensor, CallSite where) {
    RequireOwn(queue, tensor, "FreeTensor", where);
    Buffer* buffer = tensor.buffer;
    if (buffer->state != BufferState::Allocated && buffer->state != BufferState::Dequeued) {
        Stop(Code::QueueState, {where, "", buffer->start}, "FreeTensor of a tensor that is %s",
             StateName(buffer->state));
    }
    buffer->freedEvent = queue.pipe->eventIds.Raise(queue.freedEvent, where);
    buffer->state = BufferState::Free;
}

}  // namespace ascendsim
