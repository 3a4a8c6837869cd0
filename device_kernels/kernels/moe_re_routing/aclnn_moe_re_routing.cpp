// MoeReRouting in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_re_routing.h"

#include "aclrtlaunch_moe_re_routing.h"
#include "moe_re_routing_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeReRoutingTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Types fp32{{ACL_FLOAT}};
        static const Table table{
            "MoeReRouting README, parameters",
            {In("tokens", {{ACL_INT8, ACL_FLOAT16, ACL_BF16}}, {"rows", "hidden"}),
             In("expertTokenNumPerRank", kInt32OrInt64, {"ranks", "experts"}),
             InOrNull("perTokenScalesOptional", fp32, {"rows"}),
             Number("expertTokenNumType").Between(1, 1), Number("idxType").Between(0, 0),
             Out("permuteTokensOut", As("tokens"), {"rows", "hidden"}),
             Out("permutePerTokenScalesOut", fp32, {"rows"}),
             Out("permuteTokenIdxOut", kInt32, {"rows"}),
             Out("expertTokenNumOut", As("expertTokenNumPerRank"), {"experts"})},
            Stage::TILING,
            {AtMost("hidden", 16384)}};
        return table;
    }

    static constexpr auto kTiling = MoeReRoutingTiling;
    static MoeReRoutingCall Seen(const entry::Call& call) {
        return {call.Size("rows"),          call.Size("hidden"),
                call.Size("ranks"),         call.Size("experts"),
                call.Dtype("tokens"),       call.Dtype("expertTokenNumPerRank"),
                call.machine().vectorCores, call.machine().ubBytes};
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
