// MoeInitRoutingV2 in two phases, as aclnn and as kernel entry. Numbers of slots go to one of two
// outputs, as the mode says; the other one is not touched.

#include "aclnnop/aclnn_moe_init_routing_v2.h"

#include <cstring>

#include "aclrtlaunch_moe_init_routing_v2.h"
#include "moe_init_routing_v2_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kCumsum = "expertTokensCountOrCumsumOutOptional";
constexpr const char* kBefore = "expertTokensBeforeCapacityOutOptional";

struct Kernel : entry::Operator<Kernel, MoeInitRoutingV2TilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "operator definition of MoeInitRoutingV2",
            {entry::In("x", entry::kFloating), entry::In("expertIdx", entry::kInt32),
             entry::Number("activeNum"), entry::Number("expertCapacity"),
             entry::Number("expertNum"), entry::Number("dropPadMode"),
             entry::Number("countOrCumsumFlag"), entry::Number("beforeCapacityFlag"),
             entry::Out("expandedXOut", entry::As("x")),
             entry::Out("expandedRowIdxOut", entry::kInt32),
             entry::Out(kCumsum, entry::kInt32).Optional(),
             entry::Out(kBefore, entry::kInt32).Optional()}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason,
                       uint64_t reasonBytes) {
        const MoeInitRoutingV2Call cut{call.Shape("x"),
                                       call.Shape("expertIdx"),
                                       call.Shape("expandedXOut"),
                                       call.Shape("expandedRowIdxOut"),
                                       call.Shape(kCumsum),
                                       call.Shape(kBefore),
                                       call.Has(kCumsum),
                                       call.Has(kBefore),
                                       call.Number("activeNum"),
                                       call.Number("expertCapacity"),
                                       call.Number("expertNum"),
                                       call.Number("dropPadMode"),
                                       call.Number("countOrCumsumFlag"),
                                       call.Number("beforeCapacityFlag"),
                                       call.Dtype("x"),
                                       call.machine().vectorCores,
                                       call.machine().ubBytes};
        return MoeInitRoutingV2Tiling(&cut, tiling, reason, reasonBytes);
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static const char* CountsOf(const Tiling& tiling) {
        return tiling.capacity > 0 ? kBefore : kCumsum;
    }
    static bool Touches(const char* name, const Tiling& tiling) {
        const bool isCounts = std::strcmp(name, kCumsum) == 0 || std::strcmp(name, kBefore) == 0;
        return !isCounts || (tiling.counts != 0 && std::strcmp(name, CountsOf(tiling)) == 0);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling& tiling) {
        void* counts = tiling.counts == 0 ? nullptr : at[CountsOf(tiling)];
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
