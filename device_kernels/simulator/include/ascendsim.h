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
 * the SoC's own numbers. 107000 where the SoC is unknown or the numbers make no machine.
 */
ACL_FUNC_VISIBILITY int ascendsimConfigure(const char* soc, uint32_t vectorCores, uint64_t ubBytes);

/* The machine as configured; the UB bytes are those that a tiling may use. */
ACL_FUNC_VISIBILITY uint32_t ascendsimVectorCores(void);
ACL_FUNC_VISIBILITY uint64_t ascendsimUbBytes(void);

/*
 * Names device memory that this thread's next launch may touch; forgotten when that launch ends.
 * Where none is named, every live allocation may be touched.
 */
ACL_FUNC_VISIBILITY void ascendsimDescribeRegion(const void* start, uint64_t bytes,
                                                 const char* name, int writable);

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

/* Leaves a text for the calling thread's aclGetRecentErrMsg. */
ACL_FUNC_VISIBILITY void ascendsimReportError(const char* text);

#ifdef __cplusplus
}
#endif

#endif
