// Host tiling of MoeTokenPermute: the checks on shapes and attributes, then the cut.

#include "moe_token_permute_tiling.h"

#include <string>

#include "../shared/slots/slot_copy_check.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenPermute";
constexpr int64_t kLeastTopK = 0;  // CANN asks for no least one: without slots there are no ranks

using Call = MoeTokenPermuteCall;
using TilingData = MoeTokenPermuteTilingData;
using slot_copy::CopyBytes;
using slot_copy::Reason;

int64_t OutRows(const Call& call) {
    return slot_copy::KeptRanks(call.numOutTokens, slot_copy::Slots(call.indices));
}

Reason CheckAttributes(const Call& call) {
    return call.paddedMode != 0 ? slot_copy::Broken("paddedMode", "true", "false") : Reason{};
}

Reason CheckInputs(const Call& call) { return slot_copy::CheckInputs(call.tokens, call.indices); }

Reason CheckSlots(const Call& call) { return slot_copy::CheckSlots(call.indices, kLeastTopK); }

Reason CheckOutputs(const Call& call) {
    const std::string rows = "the number of ranks that numOutTokens " +
                             std::to_string(call.numOutTokens) + " keeps of " +
                             std::to_string(slot_copy::Slots(call.indices));
    Reason reason =
        slot_copy::CheckTokensOut(call.permuteTokensOut, call.tokens, OutRows(call), rows);
    return reason.empty() ? slot_copy::CheckRanksOut(call.sortedIndicesOut, call.indices) : reason;
}

Reason Check(const Call& call) {
    for (const auto check : {CheckAttributes, CheckInputs, CheckSlots, CheckOutputs}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return slot_copy::CheckSortUb(call.ubBytes);
}

int64_t Key(const Call& call) {
    const int64_t bytes = slot_copy::ElementBytes(call.dtype);
    return 1000 + (call.indexDtype == 9 ? 10 : 0) + (bytes == 4 ? 0 : bytes == 2 ? 1 : 2);
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = Key(call);
    slots.tokens = call.tokens.values[0];
    slots.topK = slot_copy::TopK(call.indices);
    slots.hidden = slot_copy::Columns(call.tokens);
    if (slot_copy::Slots(call.indices) == 0) {
        return tiling;
    }
    slots.endRank = OutRows(call);
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
