#include "barriers.h"

#include "../schedule/core.h"
#include "trace.h"

namespace ascendsim {
namespace {

void FinishAllPipes() {
    CurrentCore().clocks.BarrierAll();
    if (QueuesEffects()) {
        CurrentCore().pipelines.FinishAll();
    }
    if (Tracing()) {
        TraceBarrier("ALL");
    }
}

}  // namespace

void PassBarrier(Pipe pipe) {
    Core& core = CurrentCore();
    core.clocks.Barrier(pipe);
    core.work.PassBarrier();
    if (core.pipelines.Queues()) {
        core.pipelines.Barrier(pipe);
    }
    if (Tracing()) {
        TraceBarrier(kPipeNames[static_cast<uint32_t>(pipe)]);
    }
}

void PassBarrierOfAll() {
    CurrentCore().work.PassBarrierOfAll();
    FinishAllPipes();
}

void EnterNextPhase() {
    FinishAllPipes();
    ++CurrentCore().phase;
    if (Tracing()) {
        TraceSync();
    }
}

}  // namespace ascendsim
