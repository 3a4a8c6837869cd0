// MoeGatingTopKBackward in two phases, as aclnn and as kernel entry. renorm changes nothing.

#include "aclnnop/aclnn_moe_gating_top_k_backward.h"

#include "aclrtlaunch_moe_gating_top_k_backward.h"
#include "moe_gating_top_k_backward_tiling.h"
#include "two_phase.h"
#include "type_check.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeGatingTopKBackwardTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Types fp32{{ACL_FLOAT}};
        static const Table table{
            "aclnnMoeGatingTopKBackward document, parameters",
            {In("xNorm", fp32, {"rows", "experts"}), In("gradY", kFloating, {"rows", "k"}),
             In("expertIdx", kInt32, {"rows", "k"}), Number("renorm"),
             Number("normType").Between(1, 1), Real("routedScalingFactor"), Real("eps"),
             Out("out", As("gradY"), {"rows", "experts"})},
            Stage::TILING,
            {AtLeast("rows", 1), AtLeast("experts", 2), AtMost("experts", 2048), AtLeast("k", 1),
             AtMost("k", "experts")}};
        return table;
    }

    // The operator's definition makes no contiguous copy of expertIdx, as it does of other inputs.
    static aclnnStatus CheckDense(const entry::Call& call) {
        return opapi::CheckDense(call.Function(), {&call["expertIdx"], &call["out"]});
    }

    static constexpr auto kTiling = MoeGatingTopKBackwardTiling;
    static MoeGatingTopKBackwardCall Seen(const entry::Call& call) {
        return {call.Size("rows"),
                call.Size("experts"),
                call.Size("k"),
                call.Real("routedScalingFactor"),
                call.Real("eps"),
                call.Dtype("gradY"),
                call.machine().vectorCores,
                call.machine().ubBytes};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_gating_top_k_backward(at.cores, at.stream, at["xNorm"], at["gradY"],
                                                     at["expertIdx"], at["out"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeGatingTopKBackward,
              (const aclTensor* xNorm, const aclTensor* gradY, const aclTensor* expertIdx,
               int64_t renorm, int64_t normType, double routedScalingFactor, double eps,
               const aclTensor* out),
              xNorm, gradY, expertIdx, renorm, normType, routedScalingFactor, eps, out)
