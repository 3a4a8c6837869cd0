// MoeTokenUnpermuteWithRoutingMap in two phases, as aclnn and as kernel entry.
//
// CANN only warns of a wrong routingMapOptional; here it is refused, as it would be read beyond its
// end.

#include "aclnnop/aclnn_moe_token_unpermute_with_routing_map.h"

#include <cstring>
#include <string>

#include "aclrtlaunch_moe_token_unpermute_with_routing_map.h"
#include "moe_token_unpermute_with_routing_map_tiling.h"
#include "report.h"
#include "two_phase.h"

namespace {

constexpr const char* kProbs = "probsOptional";
constexpr const char* kMap = "routingMapOptional";
constexpr const char* kShape = "restoreShapeOptional";
constexpr const char* kOut = "unpermutedTokens";

int64_t Tokens(const entry::Call& call) {
    const entry::Values shape = call.Has(kProbs) ? call.Shape(kProbs) : call.List(kShape);
    return shape.values[0];
}

struct Kernel : entry::Operator<Kernel, MoeTokenUnpermuteWithRoutingMapTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        const Condition bare{[](const Call& call) { return !call.Has(kProbs); }, ""};
        static const Table table{
            "aclnnMoeTokenUnpermuteWithRoutingMap, parameters",
            {In("permutedTokens", kFloating, {"slots", "hidden"}),
             In("sortedIndices", kInt32, {"slots"}),
             InOrNull(kMap, kInt8OrBool, {"tokens", "experts"}),
             InOrNull(kProbs, AsOrWider("permutedTokens"), {"tokens", "experts"}),
             Number("paddedMode"), List(kShape, bare).OfLength(2),
             Out(kOut, As("permutedTokens"), {"tokens", "hidden"}),
             Out("outIndex", kInt32, {"slots"}), Out("permuteTokenId", kInt32, {"slots"}),
             Out("permuteProbs", As(kProbs), {"slots"}).OnlyBeside(kProbs)},
            Stage::TILING,
            {Is("tokens", Tokens, "dim 0 of probsOptional or of restoreShapeOptional")}};
        return table;
    }

    static aclnnStatus Null(const entry::Call& call, const std::string& what,
                            const std::string& rule) {
        return opapi::Fail(ACLNN_ERR_PARAM_NULLPTR, std::string(call.Function()) + ": " + what +
                                                        "; it must be " + rule + " (" +
                                                        call.table().source + ")");
    }

    // What CANN's interface refuses: no number of tokens, no map of the probs, and wrong ranks.
    static aclnnStatus Check(entry::Call* call) {
        if (!call->Has(kProbs) && !call->HasList(kShape)) {
            return Null(*call, "restoreShapeOptional is null", "two numbers without probsOptional");
        }
        if (call->Has(kProbs) && call->Number("paddedMode") == 0 && !call->Has(kMap)) {
            return Null(*call, "routingMapOptional is null",
                        "a tensor if probsOptional is one and paddedMode is false");
        }
        return call->CheckRanks({"permutedTokens", "sortedIndices", kMap, kProbs, kOut, "outIndex",
                                 "permuteTokenId", "permuteProbs"});
    }

    // Outputs may have strides.
    static aclnnStatus CheckDense(const entry::Call&) { return ACLNN_SUCCESS; }

    static constexpr auto kTiling = MoeTokenUnpermuteWithRoutingMapTiling;
    static MoeTokenUnpermuteWithRoutingMapCall Seen(const entry::Call& call) {
        return {call.Size("tokens"),
                call.Size("hidden"),
                call.Size("slots"),
                call.Has(kProbs) ? call.Size("experts") : 0,
                call.Number("paddedMode"),
                call.Has(kProbs) ? call.Size("hidden") : call.List(kShape).values[1],
                call.Dtype("permutedTokens"),
                call.Dtype(kProbs),
                call.machine().vectorCores,
                call.machine().ubBytes};
    }
    static int64_t ScratchBytes(const Tiling& tiling) { return tiling.workspaceBytes; }

    static bool Touches(const char* name, const Tiling& tiling) {
        const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
        if (is("outIndex") || is("permuteTokenId")) {
            return tiling.padded != 0;
        }
        return !is(kMap) || (tiling.padded == 0 && tiling.probsDtype >= 0);
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_token_unpermute_with_routing_map(
            at.cores, at.stream, at["permutedTokens"], at["sortedIndices"], at[kMap], at[kProbs],
            at[kOut], at["outIndex"], at["permuteTokenId"], at["permuteProbs"], at.scratch,
            at.tiling);
    }
};

}  // namespace

MOE_ACLNN(MoeTokenUnpermuteWithRoutingMap,
          (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
           const aclTensor* routingMapOptional, const aclTensor* probsOptional, bool paddedMode,
           const aclIntArray* restoreShapeOptional, aclTensor* unpermutedTokens,
           aclTensor* outIndex, aclTensor* permuteTokenId, aclTensor* permuteProbs),
          permutedTokens, sortedIndices, routingMapOptional, probsOptional, paddedMode,
          restoreShapeOptional, unpermutedTokens, outIndex, permuteTokenId, permuteProbs)
MOE_KERNEL(MoeTokenUnpermuteWithRoutingMap,
           (const aclTensor* permutedTokens, const aclTensor* sortedIndices,
            const aclTensor* routingMapOptional, const aclTensor* probsOptional, bool paddedMode,
            const int64_t* shape, uint64_t shapeLength, aclTensor* unpermutedTokens,
            aclTensor* outIndex, aclTensor* permuteTokenId, aclTensor* permuteProbs),
           permutedTokens, sortedIndices, routingMapOptional, probsOptional, paddedMode,
           {shape, shapeLength}, unpermutedTokens, outIndex, permuteTokenId, permuteProbs)
