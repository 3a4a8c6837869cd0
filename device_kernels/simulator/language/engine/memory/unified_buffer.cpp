#include "unified_buffer.h"

#include <exception>

#include "../order/barriers.h"
#include "../schedule/core.h"
#include "definedness.h"

namespace ascendsim {
namespace {

unsigned long long Shown(uint64_t number) { return number; }

// Requires that all live TPipes together fit, and remarks on one that shadows another.
void CheckCapacity(const PipeState& pipe, uint64_t more, CallSite where) {
    const Core& core = CurrentCore();
    uint64_t elsewhere = 0;
    for (const PipeState& other : core.pipes) {
        elsewhere += other.live && &other != &pipe ? other.used : 0;
    }
    const uint64_t total = elsewhere + pipe.used + more;
    const Spot spot{where, "", pipe.used};
    if (total > core.machine.physicalUbBytes) {
        Stop(Code::UbCapacity, spot,
             "InitBuffer needs %llu bytes more, %llu of %llu bytes of UB are in use", Shown(more),
             Shown(elsewhere + pipe.used), Shown(core.machine.physicalUbBytes));
    }
    if (total > core.machine.usableUbBytes) {
        Remark(Code::UbBudget, spot, "%llu bytes of UB are in use, a tiling may use %llu",
               Shown(total), Shown(core.machine.usableUbBytes));
    }
    if (elsewhere != 0) {
        Remark(Code::UbOverlap, spot,
               "this TPipe allocates from UB address 0, where another live TPipe has buffers");
    }
}

}  // namespace

Buffer* AllocateBuffers(PipeState& pipe, uint32_t count, uint64_t bytes, BufferState state,
                        const void* queue, CallSite where) {
    if (!pipe.live) {
        Stop(Code::PipeState, {where}, "InitBuffer on a destroyed TPipe");
    }
    if (count == 0 || bytes == 0) {
        Concern(Code::ArgumentRange, {where}, "InitBuffer with %u buffers of %llu bytes", count,
                Shown(bytes));
    }
    if (count > kMostBuffers - pipe.bufferCount) {
        Stop(Code::BufferLimit, {where}, "InitBuffer asks for %u buffers, the TPipe has %u of %u",
             count, pipe.bufferCount, kMostBuffers);
    }
    const uint64_t rounded = (bytes + kUbBlock - 1) / kUbBlock * kUbBlock;
    CheckCapacity(pipe, rounded * count, where);
    Buffer* first = &pipe.buffers[pipe.bufferCount];
    Poison(CurrentCore().ub + pipe.used, rounded * count);
    if constexpr (kChecks) {
        MarkUndefined(pipe.used, rounded * count);
    }
    for (uint32_t index = 0; index < count; ++index) {
        first[index] = {};
        first[index].memory = CurrentCore().ub + pipe.used;
        first[index].start = pipe.used;
        first[index].bytes = static_cast<uint32_t>(rounded);
        first[index].state = state;
        first[index].queue = queue;
        pipe.used += static_cast<uint32_t>(rounded);
    }
    pipe.bufferCount += count;
    return first;
}

void DestroyPipe(PipeState& pipe) {
    if (kChecks && pipe.live) {
        if (std::uncaught_exceptions() != 0) {
            CurrentCore().pipelines.Drop();  // the kernel was stopped
        }
        PassBarrierOfAll();  // the device waits for every pipe here
    }
    for (uint32_t index = 0; index < pipe.bufferCount; ++index) {
        Buffer& buffer = pipe.buffers[index];
        if (buffer.state == BufferState::Enqueued && CurrentCore().leftEnqueued == nullptr) {
            CurrentCore().leftEnqueued = &buffer;
        }
        buffer.state = BufferState::Released;
    }
    pipe.eventIds.TakeDownQueueFlags();
    pipe.live = false;
    pipe.used = 0;
    pipe.bufferCount = 0;
}

void RequireNothingEnqueued() {
    if (const Buffer* buffer = CurrentCore().leftEnqueued) {
        Stop(Code::FlagLeftSet, {buffer->enqueuedAt, "", buffer->start},
             "the tensor enqueued here was never dequeued: the flag of its queue is still set at "
             "the end of the kernel");
    }
}

void RefuseUbAccess(Handle handle, int64_t offset, uint64_t bytes, const char* operation,
                    const char* pipe, CallSite where) {
    const Buffer* buffer = handle.buffer;
    if (buffer == nullptr) {
        Stop(Code::QueueState, {where, pipe}, "%s uses a LocalTensor that was never allocated",
             operation);
    }
    const Spot spot{where, pipe, static_cast<uint64_t>(buffer->start + offset)};
    if (buffer->state == BufferState::Released) {
        Stop(Code::PipeState, spot, "%s uses a tensor of a destroyed TPipe", operation);
    }
    if (buffer->state == BufferState::Free) {
        Concern(Code::QueueState, spot, "%s uses a tensor after FreeTensor", operation);
    }
    if (buffer->generation != handle.generation) {
        Concern(Code::QueueState, spot,
                "%s uses a tensor after FreeTensor; AllocTensor has handed its buffer out again",
                operation);
    }
    if (buffer->state == BufferState::Enqueued && bytes != 0) {
        Concern(Code::QueueState, spot, "%s uses a tensor between EnQue and DeQue", operation);
    }
    if (offset >= 0 && static_cast<uint64_t>(offset) + bytes <= buffer->bytes) {
        return;  // what was wrong is tolerated
    }
    constexpr const char* kMessage =
        "%s touches %llu bytes at offset %lld of a UB buffer of %u bytes";
    // Hardware knows no buffers: before and behind one is UB, of whoever has it.
    const int64_t from = static_cast<int64_t>(buffer->start) + offset;
    const uint64_t ubBytes = CurrentCore().machine.physicalUbBytes;
    if (from >= 0 && bytes <= ubBytes && static_cast<uint64_t>(from) <= ubBytes - bytes) {
        Concern(Code::UbOutOfBounds, spot, kMessage, operation, Shown(bytes),
                static_cast<long long>(offset), buffer->bytes);
        return;
    }
    Stop(Code::UbOutOfBounds, spot, kMessage, operation, Shown(bytes),
         static_cast<long long>(offset), buffer->bytes);
}

}  // namespace ascendsim
