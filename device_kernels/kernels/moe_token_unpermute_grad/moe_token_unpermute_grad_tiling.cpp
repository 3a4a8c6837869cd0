// Host tiling of MoeTokenUnpermuteGrad: whether it can be done, then the cut.

#include "moe_token_unpermute_grad_tiling.h"

#include "../shared/checks/tiling_checks.h"
#include "../shared/slots/weighed_grad_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteGrad";

using Call = MoeTokenUnpermuteGradCall;
using tiling_checks::Reason;

Reason Check(const Call& call) {
    const Reason reason = tiling_checks::CheckTopK("topK, dim 1 of probsOptional,", call.topK);
    return reason.empty() ? weighed_grad::CheckUb(call) : reason;
}

MoeTokenUnpermuteGradTilingData Cut(const Call& call) {
    const uint64_t rows = static_cast<uint64_t>(call.rows);
    return weighed_grad::Cut<MoeTokenUnpermuteGradTilingData>(call, {0, rows});
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteGradTiling(const MoeTokenUnpermuteGradCall* call,
                                               MoeTokenUnpermuteGradTilingData* tiling,
                                               char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteGradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                    uint32_t cores, uint64_t ubBytes,
                                                    int64_t hidden) {
    return weighed_grad::Limit(axis, topK, dtype, cores, ubBytes, hidden);
}
