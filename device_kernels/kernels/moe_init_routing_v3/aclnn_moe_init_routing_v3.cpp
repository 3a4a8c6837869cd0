// MoeInitRoutingV3 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_init_routing_v3.h"

#include <cstring>

#include "aclrtlaunch_moe_init_routing_v3.h"
#include "moe_init_routing_v3_interface.h"
#include "moe_init_routing_v3_tiling.h"
#include "two_phase.h"

namespace {

using namespace moe_init_routing_v3;

struct Kernel : entry::Operator<Kernel, MoeInitRoutingV3TilingData> {
    static const entry::Table& Interface() { return moe_init_routing_v3::Interface(); }

    static aclnnStatus Check(entry::Call* call) { return CheckTypes(*call); }

    // Outputs may have strides.
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static constexpr auto kTiling = MoeInitRoutingV3Tiling;
    static MoeInitRoutingV3Call Seen(const entry::Call& call) {
        const bool pads = call.Number("dropPadMode") == 1;
        const entry::Values scale = call.Shape("scaleOptional");
        return {call.Size("tokens"),
                call.Size("topK"),
                call.Size("hidden"),
                call.Size("rows"),
                call.Number("expertNum"),
                pads ? call.Number("expertCapacity") : 0,
                call.Number(kFlag) == 0 ? -1 : call.Number(kType),
                call.Number("quantMode"),
                call.List(kRange),
                call.Number("rowIdxType"),
                call.Has("scaleOptional") ? scale.values[0] : 0,
                call.Dtype("x"),
                call.machine().vectorCores,
                call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.slots.usedCores; }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.slots.workspaceBytes; }

    static bool Touches(const char* name, const Tiling& tiling) {
        if (std::strcmp(name, kCounts) == 0) {
            return tiling.countsType >= 0;
        }
        const bool givesScales = tiling.key >= 20 || (tiling.key == 0 && tiling.scaleRows > 0);
        return std::strcmp(name, kScales) != 0 || givesScales;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_init_routing_v3(at.cores, at.stream, at["x"], at["expertIdx"],
                                               at["scaleOptional"], at["offsetOptional"],
                                               at["expandedXOut"], at["expandedRowIdxOut"],
                                               at[kCounts], at[kScales], at.scratch, at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeInitRoutingV3,
          (const aclTensor* x, const aclTensor* expertIdx, const aclTensor* scaleOptional,
           const aclTensor* offsetOptional, int64_t activeNum, int64_t expertCapacity,
           int64_t expertNum, int64_t dropPadMode, int64_t expertTokensNumType,
           bool expertTokensNumFlag, int64_t quantMode, const aclIntArray* activeExpertRange,
           int64_t rowIdxType, const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
           const aclTensor* countsOut, const aclTensor* expandedScaleOut),
          x, expertIdx, scaleOptional, offsetOptional, quantMode, activeNum, expertCapacity,
          expertNum, dropPadMode, expertTokensNumType, expertTokensNumFlag, activeExpertRange,
          rowIdxType, expandedXOut, expandedRowIdxOut, countsOut, expandedScaleOut)
MOE_KERNEL(MoeInitRoutingV3,
           (const aclTensor* x, const aclTensor* expertIdx, const aclTensor* scaleOptional,
            const aclTensor* offsetOptional, int64_t activeNum, int64_t expertCapacity,
            int64_t expertNum, int64_t dropPadMode, int64_t expertTokensNumType,
            bool expertTokensNumFlag, int64_t quantMode, const int64_t* range, uint64_t rangeLength,
            int64_t rowIdxType, const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
            const aclTensor* countsOut, const aclTensor* expandedScaleOut),
           x, expertIdx, scaleOptional, offsetOptional, quantMode, activeNum, expertCapacity,
           expertNum, dropPadMode, expertTokensNumType, expertTokensNumFlag, {range, rangeLength},
           rowIdxType, expandedXOut, expandedRowIdxOut, countsOut, expandedScaleOut)
