// Flags and barriers between the pipes of one core.
#pragma once

#include <cstdint>

#include "../engine/flags.h"
#include "enumerations.h"

namespace AscendC {

template <HardEvent event>
void SetFlag(int32_t id, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SetFlag(static_cast<uint32_t>(event), id, where);
}

template <HardEvent event>
void WaitFlag(int32_t id, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::WaitFlag(static_cast<uint32_t>(event), id, where);
}

// The model executes instructions in program order, so a barrier has nothing to wait for.
template <pipe_t pipe>
void PipeBarrier() {
    static_assert(pipe != PIPE_S, "PipeBarrier takes no PIPE_S: the scalar unit runs in order");
}

}  // namespace AscendC
