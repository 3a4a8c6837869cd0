// The unified buffer (UB) of a core: which ranges a TPipe has handed out, and in which state.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "../order/flags.h"
#include "../report/checks.h"
#include "../report/diagnostics.h"
#include "poison.h"

namespace ascendsim {

inline constexpr uint32_t kUbBlock = 32;      // bytes: granule of copies and alignment
inline constexpr uint32_t kMostBuffers = 64;  // per TPipe
inline constexpr int8_t kNoEvent = -1;

enum class BufferState : uint8_t {
    Free,       // in its queue's pool: no tensor may use it
    Allocated,  // by AllocTensor
    Enqueued,
    Dequeued,
    Owned,    // a TBuf's: always usable
    Released  // its TPipe was destroyed
};

// One range of UB. Every LocalTensor points at the one it was allocated from.
struct Buffer {
    uint8_t* memory = nullptr;
    uint32_t start = 0;  // bytes from the start of UB
    uint32_t bytes = 0;  // a multiple of 32
    BufferState state = BufferState::Released;
    const void* queue = nullptr;
    int8_t filledEvent = kNoEvent;  // set by EnQue, waited for by DeQue
    uint32_t filledBy = 0;          // the HardEvent that it is an id of
    int8_t freedEvent = kNoEvent;   // set by FreeTensor, waited for by AllocTensor
    uint32_t generation = 0;        // how often AllocTensor has handed it out
    CallSite enqueuedAt;
};

// A buffer as a tensor knows it. Once AllocTensor has handed it out again, older handles are stale.
struct Handle {
    Buffer* buffer = nullptr;
    uint32_t generation = 0;
};

inline Handle HandleOf(Buffer* buffer) {
    return {buffer, buffer == nullptr ? 0 : buffer->generation};
}

// What a TPipe owns. It lives in the core, so that a tensor that outlives its TPipe is found out.
struct PipeState {
    void* object = nullptr;  // the kernel's TPipe, null once it is gone
    bool live = false;       // not destroyed yet
    uint32_t used = 0;       // bytes of UB, from 0: TPipes do not know of each other
    uint32_t bufferCount = 0;
    std::array<Buffer, kMostBuffers> buffers;
    EventIds eventIds;
};

// Fills bytes of UB that nothing defines.
inline void Poison(uint8_t* start, uint64_t bytes) {
    const bool odd = reinterpret_cast<uintptr_t>(start) % 2 != 0;
    uint8_t word[8];
    for (uint32_t index = 0; index < sizeof word; ++index) {
        word[index] = (index % 2 != 0) == odd ? kUbPoison & 0xFF : kUbPoison >> 8;
    }
    // Whole words, as every TPipe of every block begins with this.
    for (; bytes >= sizeof word; bytes -= sizeof word, start += sizeof word) {
        std::memcpy(start, word, sizeof word);
    }
    std::memcpy(start, word, bytes);
}

// Hands out `count` consecutive poisoned buffers of `bytes` each, rounded up to 32.
Buffer* AllocateBuffers(PipeState& pipe, uint32_t count, uint64_t bytes, BufferState state,
                        const void* queue, CallSite where);

// Gives back everything. Flags that its queues still had set are taken down; that a tensor was
// never dequeued is remembered for the end of the kernel, as this also runs when a kernel was
// stopped.
void DestroyPipe(PipeState& pipe);

// Stops at the line of a tensor that was enqueued and not dequeued before its TPipe was destroyed.
void RequireNothingEnqueued();

// Tells why an access of [offset, offset + bytes) of a buffer is wrong.
[[gnu::cold]] void RefuseUbAccess(Handle handle, int64_t offset, uint64_t bytes,
                                  const char* operation, const char* pipe, CallSite where);

// Requires that a tensor may use [offset, offset + bytes) of its buffer. `operation` names the
// caller. No bytes: only a view is made, which an enqueued tensor allows.
inline void CheckUbAccess(Handle handle, int64_t offset, uint64_t bytes, const char* operation,
                          const char* pipe, CallSite where) {
    if constexpr (!kChecks) {
        return;
    }
    const Buffer* buffer = handle.buffer;
    const bool usable = buffer != nullptr && buffer->state != BufferState::Free &&
                        buffer->state != BufferState::Released &&
                        (buffer->state != BufferState::Enqueued || bytes == 0) &&
                        buffer->generation == handle.generation && offset >= 0 &&
                        offset <= static_cast<int64_t>(buffer->bytes) &&
                        bytes <= buffer->bytes - static_cast<uint64_t>(offset);
    if (!usable) {
        RefuseUbAccess(handle, offset, bytes, operation, pipe, where);
    }
}

// Requires that a scalar access is at a multiple of its element.
inline void CheckScalarAlignment(uint64_t address, uint32_t elementBytes, const char* operation,
                                 const char* memory, CallSite where) {
    if (kChecks && address % elementBytes != 0) {
        Stop(Code::OperandAlignment, {where, "S", address},
             "%s at %s address 0x%llx, which is no multiple of its element, %u bytes", operation,
             memory, static_cast<unsigned long long>(address), elementBytes);
    }
}

}  // namespace ascendsim
