// A record of what every block did, for a reader outside: ASCENDSIM_TRACE names a file to which the
// launches of a process append it, one line per event, in the order of execution. Level `all` only.
//
//     launch KERNEL BLOCKS
//     access BLOCK PHASE PIPE NUMBER r|w|a MEMORY START END   bytes [START, END) of "ub" or a
//     region set BLOCK FROM TO ID, wait BLOCK FROM TO ID             a flag between two pipes
//     barrier BLOCK PIPE|ALL                                  of one pipe, or of all
//     sync BLOCK                                              behind SyncAll
//
// NUMBER is the same for all bytes of one vector instruction. The counts that a MrgSort leaves in a
// register are a memory of their own, "counts N": V writes them once, and S reads them.
#pragma once

#include <cstdint>

#include "../memory/shadow.h"
#include "clocks.h"

namespace ascendsim {

bool Tracing();

void TraceLaunch(const char* kernel, uint32_t blocks);
uint64_t NextTraceNumber();
void TraceAccess(uint64_t number, Pipe pipe, Access access, const char* memory, uint64_t start,
                 uint64_t end);
void TraceCounts(Pipe pipe, Access access, uint64_t merge);
void TraceFlag(const char* what, Pipe from, Pipe to, int32_t id);
void TraceBarrier(const char* pipe);
void TraceSync();

}  // namespace ascendsim
