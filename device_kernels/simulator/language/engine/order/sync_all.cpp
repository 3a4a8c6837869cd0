#include "sync_all.h"

#include "../schedule/blocks.h"
#include "../schedule/core.h"

namespace ascendsim {
namespace {

// More blocks than cores run in turns: one that waits keeps its core, so the last never begin.
void RequireCores(CallSite where) {
    const Core& core = CurrentCore();
    if (core.blockCount > core.machine.vectorCores) {
        Stop(Code::SyncSetup, {where, "S"}, "SyncAll in a launch of %u blocks on %u vector cores",
             core.blockCount, core.machine.vectorCores);
    }
}

}  // namespace

void DeclareKernelType(KernelType type) { CurrentCore().kernelType = type; }

void SyncAllByHardware(CallSite where) {
    RequireCores(where);
    if (CurrentCore().kernelType == KernelType::VectorOnly) {
        Stop(Code::SyncSetup, {where, "S"},
             "SyncAll() in a kernel that is declared KERNEL_TYPE_AIV_ONLY, it needs "
             "KERNEL_TYPE_MIX_AIV_1_0");
    }
    WaitForBlocks(CurrentCore().blockCount, where);
}

uint32_t SyncParticipants(int32_t usedCores, CallSite where) {
    const uint32_t blocks = CurrentCore().blockCount;
    if (usedCores < 0 || static_cast<uint32_t>(usedCores) > blocks) {
        Stop(Code::ArgumentRange, {where, "S"},
             "SyncAll with usedCores %d, it is 0 to the number of blocks, %u", usedCores, blocks);
    }
    return usedCores == 0 ? blocks : static_cast<uint32_t>(usedCores);
}

void SyncAllBySoftware(int32_t* slot, int32_t usedCores, CallSite where) {
    RequireCores(where);
    Core& core = CurrentCore();
    if (*slot != core.softwareSyncs) {
        Stop(Code::SyncSetup, {where, "S", reinterpret_cast<uint64_t>(slot)},
             "the flag of block %u in SyncAll's workspace is %d, it must be %s", core.blockIndex,
             *slot,
             core.softwareSyncs == 0 ? "zero before the first SyncAll" : "left as SyncAll set it");
    }
    *slot = ++core.softwareSyncs;
    WaitForBlocks(SyncParticipants(usedCores, where), where);
}

}  // namespace ascendsim
