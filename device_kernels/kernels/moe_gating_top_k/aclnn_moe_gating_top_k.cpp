// MoeGatingTopK in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_gating_top_k.h"

#include <cstring>

#include "aclrtlaunch_moe_gating_top_k.h"
#include "moe_gating_top_k_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kResult = "outOut";
constexpr int64_t kMostExperts = 2048;

struct Kernel : entry::Operator<Kernel, MoeGatingTopKTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Types fp32{{ACL_FLOAT}};
        static const Table table{
            "operator definition of MoeGatingTopK",
            {In("x", kFloating, {"rows", "experts"}),
             InOrNull("biasOptional", As("x"), {"experts"}), Number("k").Between(1, kMostExperts),
             Number("kGroup").Between(1, kMostExperts),
             Number("groupCount").Between(1, kMostExperts), Number("groupSelectMode").Between(0, 1),
             Number("renorm").Between(0, 1), Number("normType").Between(0, 2), Number("outFlag"),
             Real("routedScalingFactor"), Real("eps"), Out("yOut", As("x"), {"rows", "k"}),
             Out("expertIdxOut", kInt32, {"rows", "k"}), Out(kResult, fp32, {"rows", "experts"})},
            Stage::TILING,
            {AtLeast("experts", 1), AtMost("experts", kMostExperts),
             AtMost("kGroup", "groupCount")}};
        return table;
    }

    // Outputs may have strides.
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static constexpr auto kTiling = MoeGatingTopKTiling;
    static MoeGatingTopKCall Seen(const entry::Call& call) {
        return {call.Size("rows"),          call.Size("experts"),
                call.Number("k"),           call.Number("kGroup"),
                call.Number("groupCount"),  call.Number("groupSelectMode"),
                call.Number("renorm"),      call.Number("normType"),
                call.Number("outFlag"),     call.Real("routedScalingFactor"),
                call.Real("eps"),           call.Dtype("x"),
                call.machine().vectorCores, call.machine().ubBytes};
    }

    static bool Touches(const char* name, const Tiling& tiling) {
        return tiling.hasResult != 0 || std::strcmp(name, kResult) != 0;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_gating_top_k(at.cores, at.stream, at["x"], at["biasOptional"],
                                            at["yOut"], at["expertIdxOut"], at[kResult], at.tiling);
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
