// SyncAll: no block goes on before every block has come to it.
#pragma once

#include <cstdint>

#include "../report/diagnostics.h"

namespace ascendsim {

// What KERNEL_TASK_TYPE_DEFAULT has declared; by default the build decides.
enum class KernelType : uint8_t { Automatic, VectorOnly, MixedVector };
void DeclareKernelType(KernelType type);

// By the hardware's own flags, among all blocks of the launch.
void SyncAllByHardware(CallSite where);

// By flags in global memory, 32 bytes for each block, zero before the first call of a launch; each
// block also needs them in UB. `slot` is the first of this block's flags, `usedCores` 0 for all.
void SyncAllBySoftware(int32_t* slot, int32_t usedCores, CallSite where);

// The blocks that take part: `usedCores`, or all where it is 0.
uint32_t SyncParticipants(int32_t usedCores, CallSite where);

}  // namespace ascendsim
