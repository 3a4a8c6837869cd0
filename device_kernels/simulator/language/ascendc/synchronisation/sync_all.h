// SyncAll: every block of the launch waits for every other.
#pragma once

#include <cstdint>

#include "../../engine/order/sync_all.h"
#include "../../engine/schedule/core.h"
#include "../tensors/global_tensor.h"
#include "../tensors/vector_operand.h"

namespace AscendC {

template <bool isAIVOnly = true>
void SyncAll(ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::SyncAllByHardware(where);
}

// By flags in global memory: 32 bytes for each block that takes part, zero before the first call,
// and as many in UB. `usedCores` 0: all blocks of the launch.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
             int32_t usedCores = 0, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    static_assert(isAIVOnly, "SyncAll by a workspace is for vector kernels");
    constexpr uint32_t kFlags = ascendsim::kUbBlock / sizeof(int32_t);
    const uint32_t blocks = ascendsim::SyncParticipants(usedCores, where);
    const uint64_t bytes = uint64_t{blocks} * ascendsim::kUbBlock;
    ascendsim::VectorOperand(ubWorkspace, blocks * kFlags, {"SyncAll", where});
    uint8_t* flags = gmWorkspace.Bytes(0, bytes, ascendsim::Access::Atomic, "SyncAll", "S", where);
    auto* first = reinterpret_cast<int32_t*>(flags);
    const auto block = static_cast<uint32_t>(ascendsim::CurrentCore().blockIndex);
    if (block >= blocks) {
        ascendsim::Stop(ascendsim::Code::ArgumentRange, {where, "S"},
                        "SyncAll among the first %u blocks is called by block %u", blocks, block);
    }
    ascendsim::SyncAllBySoftware(first + block * kFlags, usedCores, where);
}

}  // namespace AscendC
