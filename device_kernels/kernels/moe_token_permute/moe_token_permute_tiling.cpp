// Host tiling of MoeTokenPermute: whether it can be done, then the cut.

#include "moe_token_permute_tiling.h"

#include <string>

#include "../shared/slots/slot_copy_check.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenPermute";

using Call = MoeTokenPermuteCall;
using TilingData = MoeTokenPermuteTilingData;
using slot_copy::CopyBytes;
using slot_copy::Reason;

Reason Check(const Call& call) {
    Reason reason = slot_copy::CheckTopK("topK, dim 1 of indices,", call.topK);
    if (reason.empty()) {
        reason = slot_copy::CheckSlots("indices", call.tokens, call.topK);
    }
    return reason.empty() ? slot_copy::CheckSortUb(call.ubBytes) : reason;
}

int64_t Key(const Call& call) {
    const int64_t bytes = slot_copy::ElementBytes(call.dtype);
    return 1000 + (call.indexDtype == 9 ? 10 : 0) + (bytes == 4 ? 0 : bytes == 2 ? 1 : 2);
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = Key(call);
    slots.tokens = call.tokens;
    slots.topK = call.topK;
    slots.hidden = call.hidden;
    if (call.tokens * call.topK == 0) {
        return tiling;
    }
    slots.endRank = call.rows;
    const CopyBytes bytes(slots.topK, call.dtype, /*hasProbs=*/false, /*isPadded=*/false,
                          call.ubBytes);
    slot_copy::CutCopies(bytes, slots.tokens, call.cores, &slots);
    slot_copy::CutSort(call.cores, call.ubBytes, &slots);
    return tiling;
}

}  // namespace

extern "C" int32_t MoeTokenPermuteTiling(const MoeTokenPermuteCall* call,
                                         MoeTokenPermuteTilingData* tiling, char* reason,
                                         uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenPermuteTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                              uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    const int64_t limit = slot_copy::SortLimit(axis, cores, ubBytes);
    const CopyBytes bytes(topK, dtype, /*hasProbs=*/false, /*isPadded=*/false,
                          slot_copy::MostUb(ubBytes));
    return limit != slot_copy::kUnknownAxis ? limit
                                            : slot_copy::CopyLimit(axis, bytes, cores, hidden);
}
