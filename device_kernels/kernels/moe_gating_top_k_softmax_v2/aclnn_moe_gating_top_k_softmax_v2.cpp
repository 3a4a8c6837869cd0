// MoeGatingTopKSoftmaxV2 in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_gating_top_k_softmax_v2.h"

#include <cstring>

#include "../shared/gating/gating_interface.h"
#include "aclrtlaunch_moe_gating_top_k_softmax_v2.h"
#include "moe_gating_top_k_softmax_v2_tiling.h"
#include "two_phase.h"

namespace {

constexpr const char* kResult = "softmaxResultOutOptional";
constexpr const char* kResultFlag = "outputSoftmaxResultFlag";

struct Kernel : entry::Operator<Kernel, MoeGatingTopKSoftmaxV2TilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Table table{
            "operator definition of MoeGatingTopKSoftmaxV2",
            {gating::X(), gating::Finished(), gating::K(), Number("renorm").Between(0, 1),
             Number(kResultFlag), gating::Y(), gating::ExpertIdx(),
             gating::Rows(Out(kResult, gating::kFp32).Optional(), "experts")
                 .Only(Both(Where("renorm", {0}), Where(kResultFlag, {1})))},
            Stage::TILING,
            gating::Limits()};
        return table;
    }

    // A call without an element is wrong.
    static bool HasNoWork(const entry::Call&) { return false; }

    static constexpr auto kTiling = MoeGatingTopKSoftmaxV2Tiling;
    static MoeGatingTopKSoftmaxV2Call Seen(const entry::Call& call) {
        return {gating::RowsOf(call),       call.Size("experts"),     call.Number("k"),
                call.Number("renorm"),      call.Number(kResultFlag), call.Dtype("x"),
                call.machine().vectorCores, call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.gating.usedCores; }

    static bool Touches(const char* name, const Tiling& tiling) {
        return tiling.hasResult != 0 || std::strcmp(name, kResult) != 0;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_gating_top_k_softmax_v2(at.cores, at.stream, at["x"],
                                                       at["finishedOptional"], at["yOut"],
                                                       at["expertIdxOut"], at[kResult], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeGatingTopKSoftmaxV2,
              (const aclTensor* x, const aclTensor* finishedOptional, int64_t k, int64_t renorm,
               bool outputSoftmaxResultFlag, const aclTensor* yOut, const aclTensor* expertIdxOut,
               const aclTensor* softmaxResultOutOptional),
              x, finishedOptional, k, renorm, outputSoftmaxResultFlag, yOut, expertIdxOut,
              softmaxResultOutOptional)
