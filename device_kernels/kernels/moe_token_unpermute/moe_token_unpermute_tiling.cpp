// Host tiling of MoeTokenUnpermute: whether it can be done, then the cut.

#include "moe_token_unpermute_tiling.h"

#include <algorithm>

#include "../shared/checks/tiling_checks.h"
#include "../shared/slots/weighed_sum_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermute";

using Call = MoeTokenUnpermuteCall;

tiling_checks::Reason Check(const Call& call) {
    return weighed_sum::Check(call, "topK, dim 1 of probsOptional,");
}

MoeTokenUnpermuteTilingData Cut(const Call& call) {
    const int64_t used = std::min(call.tokens, call.cores);
    return {call.dtype, call.probsDtype, used, call.topK, weighed_sum::Cut(call, call.rows, used)};
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteTiling(const MoeTokenUnpermuteCall* call,
                                           MoeTokenUnpermuteTilingData* tiling, char* reason,
                                           uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    return weighed_sum::Limit(axis, topK, dtype, cores, ubBytes, hidden, /*mostWithout=*/1);
}
