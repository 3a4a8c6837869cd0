// Host tiling of MoeTokenUnpermuteGrad: whether it can be done, then the cut.

#include "moe_token_unpermute_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/routing_map/probs_limit.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_grad_cut.h"
#include "../shared/slots/slot_grad_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteGrad";
constexpr int64_t kNoProbs = -1;

using Call = MoeTokenUnpermuteGradCall;
using TilingData = MoeTokenUnpermuteGradTilingData;
using slot_copy::CopyBytes;
using slot_copy::ElementBytes;
using slot_grad::kLeastUbOfCopies;
using slot_grad::Ub;
using tiling_checks::kMostTopK;
using tiling_checks::Reason;

bool HasProbs(const Call& call) { return call.probsDtype != kNoProbs; }

Ub UbOf(const Call& call) {
    return {call.ubBytes, ElementBytes(call.dtype), ElementBytes(call.probsDtype)};
}

CopyBytes CopiesOf(int64_t dtype, int64_t ubBytes) {
    return {/*topK=*/1, dtype, /*hasProbs=*/false, /*isPadded=*/false, ubBytes};
}

Reason Check(const Call& call) {
    const Reason reason = tiling_checks::CheckTopK("topK, dim 1 of probsOptional,", call.topK);
    const int64_t least = HasProbs(call) ? UbOf(call).Least() : kLeastUbOfCopies;
    return reason.empty() ? tiling_checks::CheckUb(call.ubBytes, least, " for these data types")
                          : reason;
}

void CutCopies(const Call& call, TilingData* tiling) {
    SlotCopyTiling& copies = tiling->copies;
    copies.tokens = call.tokens;
    copies.topK = tiling->slots.topK;
    copies.hidden = tiling->slots.hidden;
    copies.endRank = tiling->slots.rows;
    slot_copy::CutCopies(CopiesOf(call.dtype, call.ubBytes), copies.tokens, call.cores, &copies);
    tiling->usedCores = copies.usedCores;
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    tiling.dtype = call.dtype;
    tiling.probsDtype = call.probsDtype;
    tiling.slots.slots = call.tokens * call.topK;
    tiling.slots.topK = call.topK;
    tiling.slots.hidden = call.hidden;
    tiling.slots.rows = call.rows;
    if (HasProbs(call)) {
        tiling.usedCores = slot_grad::CutSlots(UbOf(call), call.tokens, call.cores, &tiling.slots);
    } else {
        CutCopies(call, &tiling);
    }
    return tiling;
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
    std::string name = axis;
    const int64_t element = ElementBytes(dtype);
    const int64_t prob = probs_limit::TakeProbsBytes(&name, element);
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && topK <= (prob == 0 ? 1 : kMostTopK);
    const int64_t bytes = static_cast<int64_t>(ubBytes);
    const int64_t limit =
        prob == 0
            ? slot_grad::CopyLimit(name, CopiesOf(dtype, bytes), cores, hidden)
            : slot_grad::SlotLimit(name, {bytes, element, prob}, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
