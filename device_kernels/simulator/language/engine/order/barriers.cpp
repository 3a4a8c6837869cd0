#include "barriers.h"

#include "../schedule/core.h"
#include "trace.h"

namespace ascendsim {

void PassBarrier(Pipe pipe) {
    CurrentCore().clocks.Barrier(pipe);
    if (QueuesEffects()) {
        CurrentCore().pipelines.Barrier(pipe);
    }
    if (Tracing()) {
        TraceBarrier(kPipeNames[static_cast<uint32_t>(pipe)]);
    }
}

void PassBarrierOfAll() {
    CurrentCore().clocks.BarrierAll();
    if (QueuesEffects()) {
        CurrentCore().pipelines.FinishAll();
    }
    if (Tracing()) {
        TraceBarrier("ALL");
    }
}

void EnterNextPhase() {
    PassBarrierOfAll();
    ++CurrentCore().phase;
    if (Tracing()) {
        TraceSync();
    }
}

}  // namespace ascendsim
