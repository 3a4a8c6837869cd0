// Where the two halves of libascendcl meet: what the language engine offers to the runtime and to
// the operator library, and what it asks of the runtime.
#pragma once

#include <cstdint>
#include <functional>

extern "C" {

// Sets the machine of all later launches. soc: null or empty for Ascend910B1. vectorCores and
// ubBytes: 0 for the SoC's own. ubBytes is what a tiling may use; the physical UB is the same,
// unless ubBytes reaches the SoC's own tiling budget: then it is the SoC's own physical UB.
// Returns 0, or 107000 (and leaves the machine as it was) for an unknown SoC, more than 64 cores,
// a UB above the SoC's own, below 1024 bytes, or no multiple of 32.
int ascendsimConfigure(const char* soc, uint32_t vectorCores, uint64_t ubBytes);
uint32_t ascendsimVectorCores(void);
uint64_t ascendsimUbBytes(void);  // what a tiling may use, in bytes

// The order in which the blocks of later launches run: "forward" (0 to blocks - 1, as at first),
// "reverse", or "shuffled:SEED", a permutation that a decimal seed stands for. Returns 0, or 107000
// for another text. The environment's ASCENDSIM_BLOCK_ORDER is what a process begins with.
int ascendsimBlockOrder(const char* order);

// What the checks of synchronisation judge in later launches: "none", "pipes" (between two of the
// pipes that copy and compute), "scalar" (and between them and the scalar unit), "vector" (and
// between instructions of one pipe, as at first). Returns and begins as ascendsimBlockOrder, with
// ASCENDSIM_SYNC_LEVEL.
int ascendsimSyncLevel(const char* level);

// How the vector unit of later launches computes Exp, Ln, Sqrt, Div and Reciprocal: "rounded" (each
// result correctly rounded, as at first), "high" or "low" (one step of the dtype's grid above or
// below), "hashed" (a step above or below, or none, by a hash of the operands) or "flushed" (as
// rounded, and zero below 2^-126). Returns and begins as ascendsimBlockOrder, with
// ASCENDSIM_FUNCTIONS.
int ascendsimFunctions(const char* name);

// When the effects of later launches' instructions happen: "program" (each as its instruction is
// issued, as at first), "late" (each as late as flags, barriers and queues of tensors allow) or
// "random:SEED", a legal interleaving of the pipes that a decimal seed stands for. Level `all`
// only. Returns and begins as ascendsimBlockOrder, with ASCENDSIM_PIPES.
int ascendsimPipes(const char* schedule);

// Names one range of global memory of this thread's next launch; forgotten when that launch ends.
// `writable`: 0 for an input, 1 for an output, 2 for a workspace, whose bytes nothing has defined
// yet. If a launch has none, the allocations found by FindAllocation are its regions.
void ascendsimDescribeRegion(const void* start, uint64_t bytes, const char* name, int writable);

// Names the tiling key of this thread's next launch; forgotten when that launch ends.
void ascendsimTilingKey(uint64_t key);

// Runs `blocks` blocks of a kernel, in this thread, before it returns, or if the runtime defers
// tasks (RegisterSubmitLaunch), when its stream comes to it. Returns 0 once they were submitted: as
// on a device, a failing kernel is told by the stream (ReportLaunch). Without a registered
// ReportLaunch nobody could tell later, so the launch itself returns 507015. Returns 107000 for a
// null kernel name or entry, no blocks, or more than 65535 of them.
uint32_t ascendsimLaunch(const char* kernel, uint32_t blocks, void* stream,
                         void (*entry)(void* const* args), void* const* args, uint32_t argCount);

// Writes all diagnostics since the last successful take as a JSON array, with a closing NUL, and
// returns the bytes that needs, NUL included. They are cleared only when the text fitted.
uint64_t ascendsimTakeDiagnostics(char* buffer, uint64_t capacity);

// Writes the bytes of outputs that no block of this thread's last launch wrote, as a JSON array of
// objects with region, offset and bytes, and returns the bytes that needs, the closing NUL
// included. Level `all` only; elsewhere the array is empty.
uint64_t ascendsimUnwritten(char* buffer, uint64_t capacity);

// What all launches of this process that have ended had their cores do (engine/order/work.h): as
// many of the counts as `count` says. Returns how many there are; 0 from a build without checks.
uint32_t ascendsimWork(uint64_t* counts, uint32_t count);

// Holds the settings (ascendsimConfigure, ascendsimBlockOrder, ascendsimSyncLevel,
// ascendsimFunctions, ascendsimPipes, ascendsimLastWords) and what is taken
// (ascendsimTakeDiagnostics) against everybody who has not got the `key`, which is that of the
// first call; `held` 0 lets them go. Held settings answer 107000, and there is nothing to take.
// Returns 0, or 107000 for another key and for 0.
int ascendsimHold(uint64_t key, int held);

// Names memory for the last words of this process: from then on SIGXCPU and SIGUSR1 say that it is
// about to be ended, for its time or its memory, and it writes there, as a JSON array, the
// diagnostic of the kernel that runs, if one does. The first byte is written last. Returns 0, or
// 107000 for less than 2048 bytes.
int ascendsimLastWords(char* memory, uint64_t bytes);

}  // extern "C"

namespace ascendsim {

inline constexpr uint64_t kFewestLastWords = 2048;
inline constexpr uint32_t kStatusOk = 0;
inline constexpr uint32_t kStatusInvalidParameter = 107000;
inline constexpr uint32_t kStatusKernelException = 507015;

// One range of global memory that a kernel may touch.
struct Region {
    const void* start = nullptr;
    uint64_t bytes = 0;
    const char* name = "";  // must outlive the launch
    bool writable = false;
};

// Asks the runtime for the allocation that holds `address`: true, and the whole allocation in
// `out`, if there is one. Called from inside a launch, in the launching thread: the runtime must
// not hold a lock that FindAllocation takes while it calls ascendsimLaunch.
using FindAllocation = bool (*)(const void* address, Region* out);
void RegisterFindAllocation(FindAllocation find);

// How a launch ended. `status`: 0, 107000 where it was refused, which ascendsimLaunch answers, or
// 507015 where the kernel failed, which is for the stream's next synchronize. `text` says why, for
// aclGetRecentErrMsg. Both texts are valid during the call.
struct LaunchEnd {
    const char* kernel;
    uint32_t blocks;
    void* stream;
    uint32_t status;
    const char* text;
};

// Tells the runtime of every launch, before ascendsimLaunch returns.
using ReportLaunch = void (*)(const LaunchEnd& end);
void RegisterReportLaunch(ReportLaunch report);

// Has a launch run later, as a task of its stream, in whichever thread waits for that: true if the
// runtime has taken the task, false if it is to run now.
using SubmitLaunch = bool (*)(void* stream, const std::function<void()>& task);
void RegisterSubmitLaunch(SubmitLaunch submit);

// Name of the configured SoC, for aclrtGetSocName; a string literal.
const char* SocName();

}  // namespace ascendsim
