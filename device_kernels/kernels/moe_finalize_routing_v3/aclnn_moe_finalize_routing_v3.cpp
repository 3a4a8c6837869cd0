// MoeFinalizeRoutingV3 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_finalize_routing_v3.h"

#include "../shared/finalize/finalize_interface.h"
#include "aclrtlaunch_moe_finalize_routing_v3.h"
#include "moe_finalize_routing_v3_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeFinalizeRoutingV3TilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{"aclnnMoeFinalizeRoutingV3, parameters",
                                        finalize::RangedParameters(false), entry::Stage::TILING,
                                        finalize::Limits(entry::Given("biasOptional"))};
        return table;
    }

    static constexpr auto kTiling = MoeFinalizeRoutingV3Tiling;
    static MoeFinalizeRoutingV3Call Seen(const entry::Call& call) {
        return {finalize::SeenRanged(call)};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_finalize_routing_v3(
            at.cores, at.stream, at["expandedX"], at["expandedRowIdx"], at["x1Optional"],
            at["x2Optional"], at["biasOptional"], at["scalesOptional"], at["expertIdxOptional"],
            at["xOptional"], at["alpha1Optional"], at["alpha2Optional"], at["vOptional"], at["out"],
            at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeFinalizeRoutingV3,
          (const aclTensor* expandedX, const aclTensor* expandedRowIdx, const aclTensor* x1Optional,
           const aclTensor* x2Optional, const aclTensor* biasOptional,
           const aclTensor* scalesOptional, const aclTensor* expertIdxOptional,
           const aclTensor* xOptional, const aclTensor* alpha1Optional,
           const aclTensor* alpha2Optional, const aclTensor* vOptional, int64_t dropPadMode,
           const aclIntArray* zeroExpertRange, const aclIntArray* copyExpertRange,
           const aclIntArray* constantExpertRange, const aclTensor* out),
          expandedX, expandedRowIdx, expertIdxOptional, x1Optional, x2Optional, biasOptional, out,
          scalesOptional, dropPadMode, zeroExpertRange, copyExpertRange, constantExpertRange,
          xOptional, alpha1Optional, alpha2Optional, vOptional)
MOE_KERNEL(MoeFinalizeRoutingV3,
           (const aclTensor* expandedX, const aclTensor* expandedRowIdx,
            const aclTensor* x1Optional, const aclTensor* x2Optional, const aclTensor* biasOptional,
            const aclTensor* scalesOptional, const aclTensor* expertIdxOptional,
            const aclTensor* xOptional, const aclTensor* alpha1Optional,
            const aclTensor* alpha2Optional, const aclTensor* vOptional, int64_t dropPadMode,
            const int64_t* zero, uint64_t zeroCount, const int64_t* copy, uint64_t copyCount,
            const int64_t* constant, uint64_t constantCount, const aclTensor* out),
           expandedX, expandedRowIdx, expertIdxOptional, x1Optional, x2Optional, biasOptional, out,
           scalesOptional, dropPadMode, {zero, zeroCount}, {copy, copyCount},
           {constant, constantCount}, xOptional, alpha1Optional, alpha2Optional, vOptional)
