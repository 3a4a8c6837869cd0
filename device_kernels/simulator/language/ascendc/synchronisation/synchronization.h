// Flags and barriers between the pipes of one core.
#pragma once

#include <cstdint>

#include "../../engine/order/barriers.h"
#include "../../engine/order/flags.h"
#include "../../engine/report/checks.h"
#include "../vocabulary/enumerations.h"

namespace AscendC {

template <HardEvent event>
void SetFlag(int32_t id, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SetFlag(static_cast<uint32_t>(event), id, where);
}

template <HardEvent event>
void WaitFlag(int32_t id, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::WaitFlag(static_cast<uint32_t>(event), id, where);
}

// Tells the checks what it orders, and the queues of the pipes where effects wait there.
template <pipe_t pipe>
void PipeBarrier() {
    static_assert(pipe != PIPE_S, "PipeBarrier takes no PIPE_S: the scalar unit runs in order");
    if constexpr (ascendsim::kChecks) {
        if constexpr (pipe == PIPE_V) {
            ascendsim::PassBarrier(ascendsim::Pipe::V);
        } else if constexpr (pipe == PIPE_MTE2) {
            ascendsim::PassBarrier(ascendsim::Pipe::MTE2);
        } else if constexpr (pipe == PIPE_MTE3) {
            ascendsim::PassBarrier(ascendsim::Pipe::MTE3);
        } else {
            ascendsim::PassBarrierOfAll();
        }
    }
}

}  // namespace AscendC
