// MoeInitRoutingV2 in two phases, as aclnn and as kernel entry. Numbers of slots go to one of two
// outputs, as the mode says; the other one is not touched.

#include "aclnnop/aclnn_moe_init_routing_v2.h"

#include <cstring>

#include "aclrtlaunch_moe_init_routing_v2.h"
#include "moe_init_routing_v2_interface.h"
#include "moe_init_routing_v2_tiling.h"
#include "two_phase.h"

namespace {

using namespace moe_init_routing_v2;

struct Kernel : entry::Operator<Kernel, MoeInitRoutingV2TilingData> {
    static const entry::Table& Interface() { return moe_init_routing_v2::Interface(); }

    static constexpr auto kTiling = MoeInitRoutingV2Tiling;
    static MoeInitRoutingV2Call Seen(const entry::Call& call) {
        const bool pads = call.Number("dropPadMode") == 1;
        const int64_t capacity = pads ? call.Number("expertCapacity") : 0;
        return {call.Size("tokens"),        call.Size("topK"),        call.Size("hidden"),
                call.Size("rows"),          call.Number("expertNum"), capacity,
                call.Number(kCountsFlag),   call.Number(kBeforeFlag), call.Dtype("x"),
                call.machine().vectorCores, call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static const char* CountsOf(const Tiling& tiling) {
        return tiling.capacity > 0 ? kBefore : kCumsum;
    }
    static bool Touches(const char* name, const Tiling& tiling) {
        const bool isCounts = std::strcmp(name, kCumsum) == 0 || std::strcmp(name, kBefore) == 0;
        return !isCounts ||
               (tiling.counted.counts != 0 && std::strcmp(name, CountsOf(tiling)) == 0);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling& tiling) {
        void* counts = tiling.counted.counts == 0 ? nullptr : at[CountsOf(tiling)];
        return aclrtlaunch_moe_init_routing_v2(at.cores, at.stream, at["x"], at["expertIdx"],
                                               at["expandedXOut"], at["expandedRowIdxOut"], counts,
                                               at.scratch, at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeInitRoutingV2,
              (const aclTensor* x, const aclTensor* expertIdx, int64_t activeNum,
               int64_t expertCapacity, int64_t expertNum, int64_t dropPadMode,
               int64_t countOrCumsumFlag, bool beforeCapacityFlag, const aclTensor* expandedXOut,
               const aclTensor* expandedRowIdxOut, const aclTensor* countOrCumsumOut,
               const aclTensor* beforeCapacityOut),
              x, expertIdx, activeNum, expertCapacity, expertNum, dropPadMode, countOrCumsumFlag,
              beforeCapacityFlag, expandedXOut, expandedRowIdxOut, countOrCumsumOut,
              beforeCapacityOut)
