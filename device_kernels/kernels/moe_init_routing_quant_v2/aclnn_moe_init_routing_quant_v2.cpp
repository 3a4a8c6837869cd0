// MoeInitRoutingQuantV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing_quant_v2.h"

#include "aclrtlaunch_moe_init_routing_quant_v2.h"
#include "moe_init_routing_quant_v2_interface.h"
#include "moe_init_routing_quant_v2_tiling.h"

namespace {

using namespace moe_init_routing_quant_v2;

struct Kernel : routing::Operator<Kernel, MoeInitRoutingQuantV2TilingData> {
    static const entry::Table& Interface() { return moe_init_routing_quant_v2::Interface(); }

    static constexpr auto kTiling = MoeInitRoutingQuantV2Tiling;
    static MoeInitRoutingQuantV2Call Seen(const entry::Call& call) {
        const int64_t scaleRows =
            call.Has("scaleOptional") ? call.Shape("scaleOptional").values[0] : 0;
        return {routing::Seen(call), call.Number("quantMode"), scaleRows};
    }

    static bool Touches(const char* name, const Tiling& tiling) {
        return std::strcmp(name, kScales) == 0 ? tiling.key >= 20 : Operator::Touches(name, tiling);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling& tiling) {
        return aclrtlaunch_moe_init_routing_quant_v2(
            at.cores, at.stream, at["x"], at["expertIdx"], at["scaleOptional"],
            at["offsetOptional"], at["expandedXOut"], at["expandedRowIdxOut"], Counts(at, tiling),
            at[kScales], at.scratch, at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeInitRoutingQuantV2,
              (const aclTensor* x, const aclTensor* expertIdx, const aclTensor* scale,
               const aclTensor* offset, int64_t activeNum, int64_t expertCapacity,
               int64_t expertNum, int64_t dropPadMode, int64_t countFlag, bool beforeFlag,
               int64_t quantMode, const aclTensor* expandedX, const aclTensor* expandedRowIdx,
               const aclTensor* counts, const aclTensor* before, const aclTensor* scales),
              x, expertIdx, scale, offset, quantMode, activeNum, expertCapacity, expertNum,
              dropPadMode, countFlag, beforeFlag, expandedX, expandedRowIdx, counts, before, scales)
