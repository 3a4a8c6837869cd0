// MoeInitRoutingV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing_v2.h"

#include "../shared/routing/routing_interface.h"
#include "aclrtlaunch_moe_init_routing_v2.h"
#include "moe_init_routing_v2_tiling.h"

namespace {

struct Kernel : routing::Operator<Kernel, MoeInitRoutingV2TilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table =
            routing::Interface("operator definition of MoeInitRoutingV2", entry::As("x"));
        return table;
    }

    static constexpr auto kTiling = MoeInitRoutingV2Tiling;
    static MoeInitRoutingV2Call Seen(const entry::Call& call) { return {routing::Seen(call)}; }

    static uint32_t Start(const entry::Launch& at, const Tiling& tiling) {
        return aclrtlaunch_moe_init_routing_v2(at.cores, at.stream, at["x"], at["expertIdx"],
                                               at["expandedXOut"], at["expandedRowIdxOut"],
                                               Counts(at, tiling), at.scratch, at.tiling);
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
