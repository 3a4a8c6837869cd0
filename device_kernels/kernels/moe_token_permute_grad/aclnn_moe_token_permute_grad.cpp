// MoeTokenPermuteGrad in two phases, as aclnn and as kernel entry. paddedMode changes nothing, as
// on Ascend910B and 910_93.

#include "aclnnop/aclnn_moe_token_permute_grad.h"

#include "aclrtlaunch_moe_token_permute_grad.h"
#include "moe_token_permute_grad_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeTokenPermuteGradTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Table table{
            "aclnnMoeTokenPermuteGrad document, parameters",
            {In("permutedOutputGrad", kFloating, {"rows", "hidden"}),
             In("sortedIndices", kInt32, {Times("tokens", "numTopk")}), Number("numTopk"),
             Out("out", As("permutedOutputGrad"), {"tokens", "hidden"})},
            Stage::TILING,
            {AtLeast("numTopk", 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenPermuteGradTiling;
    static MoeTokenPermuteGradCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),   call.Number("numTopk"),           call.Size("hidden"),
                call.Size("rows"),     call.Dtype("permutedOutputGrad"), call.machine().vectorCores,
                call.machine().ubBytes};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_permute_grad(at.cores, at.stream, at["permutedOutputGrad"],
                                                  at["sortedIndices"], at["out"], at.workspace,
                                                  at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeTokenPermuteGrad,
              (const aclTensor* permutedOutputGrad, const aclTensor* sortedIndices, int64_t numTopk,
               bool /*paddedMode*/, const aclTensor* out),
              permutedOutputGrad, sortedIndices, numTopk, out)
