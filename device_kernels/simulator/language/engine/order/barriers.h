// PipeBarrier and the end of a phase, as the running core's clocks see them.
#pragma once

#include "clocks.h"

namespace ascendsim {

void PassBarrier(Pipe pipe);  // later instructions of the pipe wait for its earlier ones
void PassBarrierOfAll();      // and those of every pipe for those of every other

// For SyncAll, in every block as it leaves: all that any block did before is complete.
void EnterNextPhase();

}  // namespace ascendsim
