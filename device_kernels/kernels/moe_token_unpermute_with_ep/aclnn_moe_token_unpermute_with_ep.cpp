// MoeTokenUnpermuteWithEp in two phases, as aclnn and as kernel entry. Without a range it is
// MoeTokenUnpermute, and numTopk is not looked at. restoreShapeOptional changes nothing.

#include "aclnnop/aclnn_moe_token_unpermute_with_ep.h"

#include "aclrtlaunch_moe_token_unpermute_with_ep.h"
#include "moe_token_unpermute_with_ep_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kRange = "rangeOptional";

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteWithEpTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const Condition ranged{[](const Call& call) { return call.HasList(kRange); }, kRange};
        static const Table table{
            "MoeTokenUnpermuteWithEp README, parameters",
            {In("permutedTokens", kFloating, {"rows", "hidden"}),
             In("sortedIndices", kInt32, {Times("tokens", "topK")}),
             InOrNull("probsOptional", kFloating, {"tokens", "topK"}),
             Number("numTopk", "topK", ranged), List(kRange).OfLength(2),
             Number("paddedMode").False(), Out("out", As("permutedTokens"), {"tokens", "hidden"})},
            Stage::TILING,
            {OneWithout("topK", "probsOptional"), AtLeast("topK", 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenUnpermuteWithEpTiling;
    static MoeTokenUnpermuteWithEpCall Seen(const entry::Call& call) {
        return {
            call.Size("tokens"),         call.Size("topK"),          call.Size("hidden"),
            call.Size("rows"),           call.List(kRange),          call.Dtype("permutedTokens"),
            call.Dtype("probsOptional"), call.machine().vectorCores, call.machine().ubBytes};
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute_with_ep(at.cores, at.stream, at["permutedTokens"],
                                                       at["sortedIndices"], at["probsOptional"],
                                                       at["out"], at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermuteWithEp,
          (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
           const aclTensor* probsOptional, int64_t numTopk, const aclIntArray* rangeOptional,
           bool paddedMode, const aclIntArray* /*restoreShapeOptional*/, const aclTensor* out),
          permutedTokens, sortedIndices, probsOptional, numTopk, rangeOptional, paddedMode, out)
MOE_KERNEL(MoeTokenUnpermuteWithEp,
           (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
            const aclTensor* probsOptional, int64_t numTopk, const int64_t* range,
            uint64_t rangeLength, bool paddedMode, const int64_t* /*restoreShape*/,
            uint64_t /*restoreShapeLength*/, const aclTensor* out),
           permutedTokens, sortedIndices, probsOptional, numTopk, {range, rangeLength}, paddedMode,
           out)
