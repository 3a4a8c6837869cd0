// What the processor refuses while a kernel runs becomes a finding: the block is left where it
// stands, and the process lives on.
//
// Nothing on the stack of such a block is destroyed, and what a stray write changed before is not
// known: whoever judges later launches begins with a new process.
#pragma once

#include <cstdint>

namespace ascendsim {

class Fiber;

// Watches the launch that runs in this thread, until it is destroyed. A fault outside a block is
// handled by whoever watched before.
class FaultWatch {
public:
    FaultWatch();
    FaultWatch(const FaultWatch&) = delete;
    FaultWatch& operator=(const FaultWatch&) = delete;
    ~FaultWatch();
};

struct Fault {
    int signal = 0;  // 0: none
    bool located = false;
    uint64_t address = 0;
};

// The fault that ended the fiber that ran last in this thread, once.
Fault TakeFault();

// Records what a fault of the running core's block was. `fiber` is the one that it left.
void RecordFault(const Fault& fault, const Fiber& fiber);

}  // namespace ascendsim
