// MoeGatingTopKV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_gating_top_k_v2.h"

#include "../shared/gating/group_interface.h"
#include "aclrtlaunch_moe_gating_top_k_v2.h"
#include "moe_gating_top_k_v2_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kInputIds = "inputIdsOptional";
constexpr const char* kTable = "tid2eidOptional";

int64_t BytesOf(const entry::Call& call, const char* ids) {
    return call.Dtype(ids) == ACL_INT64 ? 8 : 4;
}

struct Kernel : entry::Operator<Kernel, MoeGatingTopKV2TilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        // One without the other changes nothing, whatever its shape is.
        const Condition both = Both(Given(kInputIds), Given(kTable));
        static const Table table{
            "operator definition of MoeGatingTopKV2",
            group_gating::Parameters(
                {InOrNull(kInputIds, kInt32OrInt64, {"rows"}).Only(both),
                 InOrNull(kTable, kInt32OrInt64, {"table rows", "k"}).Only(both)}),
            Stage::TILING, group_gating::Limits()};
        return table;
    }

    // Outputs may have strides.
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static constexpr auto kTiling = MoeGatingTopKV2Tiling;
    static MoeGatingTopKV2Call Seen(const entry::Call& call) {
        auto seen = group_gating::Seen<MoeGatingTopKV2Call>(call);
        if (call.Has(kInputIds) && call.Has(kTable)) {
            seen.inputIdBytes = BytesOf(call, kInputIds);
            seen.expertIdBytes = BytesOf(call, kTable);
        }
        return seen;
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.gating.usedCores; }

    static bool Touches(const char* name, const Tiling& tiling) {
        return group_gating::Touches(name, tiling.gating);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_gating_top_k_v2(
            at.cores, at.stream, at["x"], at["biasOptional"], at[kInputIds], at[kTable], at["yOut"],
            at["expertIdxOut"], at[group_gating::kResult], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeGatingTopKV2,
              (const aclTensor* x, const aclTensor* biasOptional, const aclTensor* inputIdsOptional,
               const aclTensor* tid2eidOptional, int64_t k, int64_t kGroup, int64_t groupCount,
               int64_t groupSelectMode, int64_t renorm, int64_t normType, bool outFlag,
               double routedScalingFactor, double eps, const aclTensor* yOut,
               const aclTensor* expertIdxOut, const aclTensor* outOut),
              x, biasOptional, inputIdsOptional, tid2eidOptional, k, kGroup, groupCount,
              groupSelectMode, renorm, normType, outFlag, routedScalingFactor, eps, yOut,
              expertIdxOut, outOut)
