// The blocks of a launch: each on a fiber of its own, left where it waits for the others.
#pragma once

#include <cstdint>

#include "../report/diagnostics.h"
#include "machine.h"

namespace ascendsim {

// Runs `blocks` blocks of a kernel on the machine, in this thread. A block runs until it ends or
// waits; when all have done so, those that wait go on together. Returns whether every block came to
// its end without an error; after an error, blocks that wait are unwound and later ones never run.
bool RunBlocks(const Machine& machine, uint32_t blocks, void (*entry)(void* const* args),
               void* const* args);

// From inside a block: waits until `participants` blocks wait. Stops with sync-deadlock, at the
// block that has waited longest, where every block has ended or waits and that number is not met.
void WaitForBlocks(uint32_t participants, CallSite where);

}  // namespace ascendsim
