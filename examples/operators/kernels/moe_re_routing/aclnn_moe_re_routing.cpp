// MoeReRouting in two phases, as aclnn and as kernel entry.
#include <cstdio>

#include "aclrtlaunch_moe_re_routing.h"
#include "moe_re_routing_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeReRoutingTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "MoeReRouting README, parameters",
            {entry::In("tokens", {{ACL_INT8, ACL_FLOAT16, ACL_BF16}}, {"rows", "hidden"}),
             entry::In("expertTokenNumPerRank", entry::kInt32OrInt64, {"ranks", "experts"}),
             entry::In("perTokenScalesOptional", {{ACL_FLOAT}}, {"rows"}).Optional(),
             entry::Number("expertTokenNumType"), entry::Number("idxType"),
             entry::Out("permuteTokensOut", entry::As("tokens"), {"rows", "hidden"}),
             entry::Out("permutePerTokenScalesOut", {{ACL_FLOAT}}, {"rows"}),
             entry::Out("permuteTokenIdxOut", entry::kInt32, {"rows"}),
             entry::Out("expertTokenNumOut", entry::As("expertTokenNumPerRank"), {"experts"})}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason, uint64_t bytes) {
        const int64_t* tokens = call.Shape("tokens").values;
        const int64_t* counts = call.Shape("expertTokenNumPerRank").values;
        tiling->rows = tokens[0];
        tiling->rowBytes = tokens[1] * static_cast<int64_t>(opapi::BytesOf(call.Dtype("tokens")));
        tiling->ranks = counts[0];
        tiling->experts = counts[1];
        tiling->countWords = call.Dtype("expertTokenNumPerRank") == ACL_INT32 ? 1 : 2;
        MoeReRoutingCut(call.machine().vectorCores, call.machine().ubBytes, tiling);
        const bool isKnown = tokens[1] <= 16384 && call.Number("expertTokenNumType") == 1 &&
                             call.Number("idxType") == 0;
        std::snprintf(reason, bytes, "%s",
                      isKnown ? "the unified buffer holds no tile"
                              : "H is at most 16384, expertTokenNumType 1, idxType 0");
        return isKnown && tiling->tileBytes > 0 ? ACLNN_SUCCESS : ACLNN_ERR_INNER_TILING_ERROR;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_re_routing(
            at.cores, at.stream, at["tokens"], at["expertTokenNumPerRank"],
            at["perTokenScalesOptional"], at["permuteTokensOut"], at["permutePerTokenScalesOut"],
            at["permuteTokenIdxOut"], at["expertTokenNumOut"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeReRouting,
              (const aclTensor* tokens, const aclTensor* expertTokenNumPerRank,
               const aclTensor* perTokenScalesOptional, int64_t expertTokenNumType, int64_t idxType,
               const aclTensor* permuteTokensOut, const aclTensor* permutePerTokenScalesOut,
               const aclTensor* permuteTokenIdxOut, const aclTensor* expertTokenNumOut),
              tokens, expertTokenNumPerRank, perTokenScalesOptional, expertTokenNumType, idxType,
              permuteTokensOut, permutePerTokenScalesOut, permuteTokenIdxOut, expertTokenNumOut)
