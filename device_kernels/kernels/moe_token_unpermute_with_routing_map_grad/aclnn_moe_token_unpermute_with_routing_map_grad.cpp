// MoeTokenUnpermuteWithRoutingMapGrad in two phases, as aclnn and as kernel entry.
// restoreShapeOptional changes nothing. Without probs neither the map nor the permuted tokens are
// read, and the gradient of the probs is not written.

#include "aclnnop/aclnn_moe_token_unpermute_with_routing_map_grad.h"

#include <cstring>

#include "aclrtlaunch_moe_token_unpermute_with_routing_map_grad.h"
#include "moe_token_unpermute_with_routing_map_grad_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kGrad = "unpermutedTokensGrad";
constexpr const char* kTokenId = "permuteTokenId";
constexpr const char* kMap = "routingMapOptional";
constexpr const char* kRows = "permutedTokensOptional";
constexpr const char* kProbs = "probsOptional";
constexpr const char* kRowsGrad = "permutedTokensGradOut";
constexpr const char* kProbsGrad = "probsGradOutOptional";

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteWithRoutingMapGradTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const Condition weighed = Given(kProbs);
        static const Table table{
            "aclnnMoeTokenUnpermuteWithRoutingMapGrad, parameters",
            {In(kGrad, kFloating, {"tokens", "hidden"}), In("outIndex", kInt32, {"slots"}),
             In(kTokenId, kInt32, {"slots"}),
             InOrNull(kMap, kInt8OrBool, {"tokens", "experts"}).Only(weighed),
             InOrNull(kRows, As(kGrad), {"slots", "hidden"}).Only(weighed),
             InOrNull(kProbs, AsOrWider(kGrad), {"tokens", "experts"}), Number("dropAndPad"),
             Out(kRowsGrad, As(kGrad), {"slots", "hidden"}),
             OutOrNull(kProbsGrad, As(kProbs), {"tokens", "experts"}).Only(weighed)},
            Stage::TILING,
            {AtLeast("tokens", 1), AtLeast("hidden", 1), AtLeast("slots", 1),
             AtLeast("experts", 1)}};
        return table;
    }

    static constexpr auto kTiling = MoeTokenUnpermuteWithRoutingMapGradTiling;
    static MoeTokenUnpermuteWithRoutingMapGradCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),       call.Size("hidden"),
                call.Size("slots"),        call.Has(kProbs) ? call.Size("experts") : 0,
                call.Number("dropAndPad"), call.Dtype(kGrad),
                call.Dtype(kProbs),        call.machine().vectorCores,
                call.machine().ubBytes};
    }

    static bool Touches(const char* name, const Tiling& tiling) {
        const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
        const bool isWeighed = tiling.probsDtype >= 0;
        return is(kTokenId) ? tiling.padded != 0
               : is(kMap)   ? isWeighed && tiling.padded == 0
                            : isWeighed || !(is(kRows) || is(kProbsGrad));
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute_with_routing_map_grad(
            at.cores, at.stream, at[kGrad], at["outIndex"], at[kTokenId], at[kMap], at[kRows],
            at[kProbs], at[kRowsGrad], at[kProbsGrad], at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermuteWithRoutingMapGrad,
          (const aclTensor* unpermutedTokensGrad, const aclTensor* outIndex,
           const aclTensor* permuteTokenId, const aclTensor* routingMapOptional,
           const aclTensor* permutedTokensOptional, const aclTensor* probsOptional, bool dropAndPad,
           const aclIntArray*, const aclTensor* permutedTokensGradOut,
           const aclTensor* probsGradOutOptional),
          unpermutedTokensGrad, outIndex, permuteTokenId, routingMapOptional,
          permutedTokensOptional, probsOptional, dropAndPad, permutedTokensGradOut,
          probsGradOutOptional)
MOE_KERNEL(MoeTokenUnpermuteWithRoutingMapGrad,
           (const aclTensor* unpermutedTokensGrad, const aclTensor* outIndex,
            const aclTensor* permuteTokenId, const aclTensor* routingMapOptional,
            const aclTensor* permutedTokensOptional, const aclTensor* probsOptional,
            bool dropAndPad, const int64_t*, uint64_t, const aclTensor* permutedTokensGradOut,
            const aclTensor* probsGradOutOptional),
           unpermutedTokensGrad, outIndex, permuteTokenId, routingMapOptional,
           permutedTokensOptional, probsOptional, dropAndPad, permutedTokensGradOut,
           probsGradOutOptional)
