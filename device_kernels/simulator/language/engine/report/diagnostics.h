// Findings about a kernel's behaviour: their codes, and how a check reports one.
//
// An error stops the kernel: it is recorded and thrown, and the launch ends. A warning or a note is
// recorded once per source line and launch, and the kernel goes on. So does it after a concern: an
// error of a code that ASCENDSIM_TOLERATED names, where something sensible is left to do. It is
// then told as a warning. docs/reference/diagnostics.md explains every code.
#pragma once

#include <cstdint>
#include <string>

#include "call_site.h"

namespace ascendsim {

enum class Code : uint8_t {
    UbCapacity,
    UbBudget,
    UbOverlap,
    UbOutOfBounds,
    BufferLimit,
    PipeState,
    GmOutOfBounds,
    GmReadOnly,
    CopyAlignment,
    CopyRounded,
    CopyEmpty,
    FieldTruncated,
    OperandAlignment,
    OperandOverlap,
    MergeAlignment,
    ArgumentRange,
    RepeatLimit,
    CastMode,
    Assertion,
    IndexUnread,
    NotModelled,
    QueueEmpty,
    QueueFull,
    QueueState,
    AtomicLeftSet,
    SyncDeadlock,
    SyncSetup,
    EventExhausted,
    EventFixed,
    FlagSetTwice,
    FlagWithoutSet,
    FlagLeftSet,
    SyncMissing,
    SyncScalar,
    BarrierMissing,
    EarlyAccess,
    Race,
    CacheUnflushed,
    CacheStale,
    CacheLineShared,
    CacheLeftDirty,
    UninitialisedStore,
    UninitialisedRead,
    MemoryFault,
    KernelCrash,
    KernelEndless,
    MemoryExhausted,
};

// The earlier one of two accesses that do not go together; `block` is -1 where it is not known.
struct Accessed {
    const char* operation;
    CallSite where;
    const char* pipe;
    int64_t block;
};

// Where something was found: the line of the kernel's own source, the pipe that would have executed
// it ("" for the host side of a call), the address (an offset in UB, or a GM address), and the
// earlier access that it conflicts with, if there is one.
struct Spot {
    CallSite where;
    const char* pipe = "";
    uint64_t address = 0;
    const Accessed* earlier = nullptr;
    const char* advice = nullptr;  // where another than that of the code helps
};

// Thrown by Stop through the kernel and caught where its block began; never by a kernel.
struct KernelStopped {};

[[noreturn, gnu::format(printf, 3, 4), gnu::cold]] void Stop(Code code, const Spot& spot,
                                                             const char* format, ...);
[[gnu::format(printf, 3, 4), gnu::cold]] void Remark(Code code, const Spot& spot,
                                                     const char* format, ...);

// Whether a remark of this code was recorded in this launch.
bool IsRemarked(Code code);

// Stops the kernel, or remarks where the code is tolerated.
[[gnu::format(printf, 3, 4), gnu::cold]] void Concern(Code code, const Spot& spot,
                                                      const char* format, ...);

// Writes what ends a process whose `core` runs as a JSON object of at most `capacity` bytes; its
// length. May be called in the handler of a signal.
struct Core;
uint64_t DescribeEnding(Code code, const char* what, const Core& core, char* text,
                        uint64_t capacity);

// A text as JSON has it, in quotes.
std::string Quoted(const std::string& text);

// Writes a text and its closing NUL where they fit; the bytes they need.
uint64_t Written(const std::string& text, char* buffer, uint64_t capacity);

// Starts the record of one launch; EndRecord returns its first error's text, "" if it had none.
void BeginRecord(const char* kernel);
const char* EndRecord();

}  // namespace ascendsim
