/*
 * What the simulated device can do and a real one cannot: choose its machine, say what it saw.
 * libascendcl.so of the simulator exports these; a program that also runs on real CANN declares
 * them weak and asks whether they are there.
 */
#ifndef ASCENDSIM_H
#define ASCENDSIM_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets the machine of all later launches. `soc` null: Ascend910B1. `vectorCores` 0 and `ubBytes` 0:
 * the SoC's own numbers. A tiling may use all of the bytes that are given. 107000 where the SoC is
 * unknown or the numbers make no machine.
 */
ACL_FUNC_VISIBILITY int ascendsimConfigure(const char* soc, uint32_t vectorCores, uint64_t ubBytes);

/* The machine as configured; the UB bytes are those that a tiling may use. */
ACL_FUNC_VISIBILITY uint32_t ascendsimVectorCores(void);
ACL_FUNC_VISIBILITY uint64_t ascendsimUbBytes(void);

/*
 * The order in which the blocks of later launches run: "forward" (as at first), "reverse" or
 * "shuffled:SEED" with a decimal seed. A correct kernel computes the same in every order. And how
 * strictly synchronisation is judged: "none", "pipes", "scalar" or "vector" (as at first). 107000
 * for another text. A process begins with ASCENDSIM_BLOCK_ORDER and ASCENDSIM_SYNC_LEVEL. This and
 * every other variable of the library is read when it is loaded, and never again.
 */
ACL_FUNC_VISIBILITY int ascendsimBlockOrder(const char* order);
ACL_FUNC_VISIBILITY int ascendsimSyncLevel(const char* level);

/*
 * How the vector unit of later launches computes Exp, Ln, Sqrt, Div and Reciprocal, whose last bits
 * the interface leaves open: "rounded" (correctly, as at first), "high" or "low" (one step above or
 * below), "hashed" (a step above or below, or none, by a hash of the operands) or "flushed" (as
 * rounded, and zero below 2^-126). 107000 for another text. A process begins with
 * ASCENDSIM_FUNCTIONS.
 */
ACL_FUNC_VISIBILITY int ascendsimFunctions(const char* name);

/*
 * When the effects of later launches' instructions happen: "program" (each as its instruction is
 * issued, as at first), "late" (each as late as flags, barriers and queues of tensors allow) or
 * "random:SEED", a legal interleaving of the pipes that a decimal seed stands for. A kernel that
 * orders its pipes computes the same in each. 107000 for another text. A process begins with
 * ASCENDSIM_PIPES. Libraries that were built without checks keep to "program".
 */
ACL_FUNC_VISIBILITY int ascendsimPipes(const char* schedule);

/*
 * Names device memory that this thread's next launch may touch; forgotten when that launch ends.
 * `writable`: 0 for an input, 1 for an output, 2 for a workspace that nothing has written yet.
 * Where none is named, every live allocation may be touched.
 */
ACL_FUNC_VISIBILITY void ascendsimDescribeRegion(const void* start, uint64_t bytes,
                                                 const char* name, int writable);

/*
 * Names the tiling key of this thread's next launch, for kernels of the operator build, which ask
 * for it by TILING_KEY_IS; forgotten when that launch ends.
 */
ACL_FUNC_VISIBILITY void ascendsimTilingKey(uint64_t key);

/*
 * Runs a kernel on `blocks` cores before it returns. A finding of severity error ends it, and the
 * stream's next synchronize answers 507015 with the finding's text.
 */
ACL_FUNC_VISIBILITY uint32_t ascendsimLaunch(const char* kernel, uint32_t blocks, void* stream,
                                             void (*entry)(void* const* args), void* const* args,
                                             uint32_t argCount);

/*
 * Writes the findings since the last successful take, as a JSON array, and returns the bytes it
 * needs, the closing NUL included. They are forgotten only when the whole text fitted.
 */
ACL_FUNC_VISIBILITY uint64_t ascendsimTakeDiagnostics(char* buffer, uint64_t capacity);

/*
 * Writes the bytes of outputs that no block of this thread's last launch wrote, as a JSON array of
 * {"region", "offset", "bytes"}, and returns the bytes it needs, the closing NUL included. Data and
 * no finding: another launch of the same call may write them, or the host. A build with all checks
 * knows them, any other answers "[]".
 */
ACL_FUNC_VISIBILITY uint64_t ascendsimUnwritten(char* buffer, uint64_t capacity);

/*
 * Names memory, at least 2048 bytes, for the last words of this process. From then on SIGXCPU (its
 * time is up) and SIGUSR1 (its memory is) make it write the diagnostic of the running kernel there,
 * as a JSON array, "[]" where none runs; the first byte is written last. 107000 for less memory.
 */
ACL_FUNC_VISIBILITY int ascendsimLastWords(char* memory, uint64_t bytes);

/*
 * What this process has had the device do since the library was loaded: launches, fills and copies
 * inside the device, bytes of the allocations that are alive, failures that nobody has taken yet,
 * tasks that wait in streams. As many of the five as `count` says.
 */
ACL_FUNC_VISIBILITY void ascendsimTally(uint64_t* counts, uint32_t count);

/*
 * The work of all launches that have ended in this process, as docs/reference/work.md says: as many
 * of the counts as `count` says. Returns how many there are; 0 from a build without checks, which
 * counts nothing.
 */
ACL_FUNC_VISIBILITY uint32_t ascendsimWork(uint64_t* counts, uint32_t count);

/*
 * Writes the launches, copies and fills that failed since the last successful take, as a JSON array
 * of {"what", "status", "text", "launch"}: their callers may have dropped the statuses. Returns and
 * forgets as ascendsimTakeDiagnostics.
 */
ACL_FUNC_VISIBILITY uint64_t ascendsimTakeFailures(char* buffer, uint64_t capacity);

/*
 * Notes that a two-phase function has begun its phase 2; `name` is the name under which it was
 * found. An operator library calls this, so that a program that judges a caller can tell which
 * function the caller chose.
 */
ACL_FUNC_VISIBILITY void ascendsimNoteFunction(const char* name);

/*
 * Writes the functions noted since the last successful take, each once and in the order in which
 * they were noted first, as a JSON array of names. Returns and forgets as ascendsimTakeDiagnostics.
 */
ACL_FUNC_VISIBILITY uint64_t ascendsimTakeFunctions(char* buffer, uint64_t capacity);

/*
 * Whether launches, callbacks and asynchronous copies and fills wait in their streams until
 * somebody waits for these or for an event behind them (`deferred` 1), or run when they are
 * submitted (0, as at first). A device does either. A stream orders its own tasks alone, the
 * default stream too; a query runs one task, so that polling ends. What waits when this is called
 * is forgotten.
 */
ACL_FUNC_VISIBILITY int ascendsimDeferTasks(int deferred);

/*
 * Holds the settings (machine, order, level, functions, deferral, last words) and the findings
 * against everybody who has not got `key`, which is that of the first call; `held` 0 lets them go.
 * While they are held a setting answers 107000, and a take finds nothing: what a program loads
 * afterwards cannot loosen what it is judged by. 107000 for another key, and for 0.
 */
ACL_FUNC_VISIBILITY int ascendsimHold(uint64_t key, int held);

/*
 * The integers of an array, its own, alive as long as it is; null where it has none or `array` is
 * null. libopapi.so exports it, since the public interface tells no more of an array than its size.
 */
struct aclIntArray;
ACL_FUNC_VISIBILITY const int64_t* ascendsimIntArrayValues(const struct aclIntArray* array);

/* Leaves a text for the calling thread's aclGetRecentErrMsg. */
ACL_FUNC_VISIBILITY void ascendsimReportError(const char* text);

#ifdef __cplusplus
}
#endif

#endif
