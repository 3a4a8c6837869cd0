// MoeGatingTopKSoftmax in two phases, as aclnn and as kernel entry.

#include "aclnnop/aclnn_moe_gating_top_k_softmax.h"

#include "../shared/gating/gating_interface.h"
#include "aclrtlaunch_moe_gating_top_k_softmax.h"
#include "moe_gating_top_k_softmax_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, MoeGatingTopKSoftmaxTilingData> {
    static const entry::Table& Interface() {
        using namespace entry;
        static const Table table{"operator definition of MoeGatingTopKSoftmax",
                                 {gating::X(), gating::Finished(), gating::K(), gating::Y(),
                                  gating::ExpertIdx(), gating::Rows(Out("rowIdxOut", kInt32), "k")},
                                 Stage::TILING,
                                 gating::Limits()};
        return table;
    }

    // A call without an element is wrong.
    static bool HasNoWork(const entry::Call&) { return false; }

    static constexpr auto kTiling = MoeGatingTopKSoftmaxTiling;
    static MoeGatingTopKSoftmaxCall Seen(const entry::Call& call) {
        return {gating::RowsOf(call), call.Size("experts"),       call.Number("k"),
                call.Dtype("x"),      call.machine().vectorCores, call.machine().ubBytes};
    }

    static int64_t Cores(const Tiling& tiling) { return tiling.gating.usedCores; }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_moe_gating_top_k_softmax(at.cores, at.stream, at["x"],
                                                    at["finishedOptional"], at["yOut"],
                                                    at["expertIdxOut"], at["rowIdxOut"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(MoeGatingTopKSoftmax,
              (const aclTensor* x, const aclTensor* finishedOptional, int64_t k,
               const aclTensor* yOut, const aclTensor* expertIdxOut, const aclTensor* rowIdxOut),
              x, finishedOptional, k, yOut, expertIdxOut, rowIdxOut)
