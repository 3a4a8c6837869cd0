// MoeGatingTopK in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_gating_top_k.h"

#include "../shared/gating/group_interface.h"
#include "aclrtlaunch_moe_gating_top_k.h"
#include "moe_gating_top_k_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeGatingTopKTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{"operator definition of MoeGatingTopK",
                                        group_gating::Parameters(), entry::Stage::TILING,
                                        group_gating::Limits()};
        return table;
    }

    // Outputs may have strides.
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static constexpr auto kTiling = MoeGatingTopKTiling;
    static MoeGatingTopKCall Seen(const entry::Call& call) {
        return group_gating::Seen<MoeGatingTopKCall>(call);
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.gating.usedCores; }

    static bool Touches(const char* name, const Tiling& tiling) {
        return group_gating::Touches(name, tiling.gating);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_gating_top_k(at.cores, at.stream, at["x"], at["biasOptional"],
                                            at["yOut"], at["expertIdxOut"],
                                            at[group_gating::kResult], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeGatingTopK,
              (const aclTensor* x, const aclTensor* biasOptional, int64_t k, int64_t kGroup,
               int64_t groupCount, int64_t groupSelectMode, int64_t renorm, int64_t normType,
               bool outFlag, double routedScalingFactor, double eps, const aclTensor* yOut,
               const aclTensor* expertIdxOut, const aclTensor* outOut),
              x, biasOptional, k, kGroup, groupCount, groupSelectMode, renorm, normType, outFlag,
              routedScalingFactor, eps, yOut, expertIdxOut, outOut)
