// Host tiling of MoeTokenPermuteWithEp: the checks on shapes and attributes, then the cut.

#include "moe_token_permute_with_ep_tiling.h"

#include <string>

#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"
#include "../shared/slots/slot_shape_check.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenPermuteWithEp";
constexpr int64_t kMostTokens = 1LL << 31;  // that an int32 can name
constexpr int64_t kLeastTopK = 1;

using Call = MoeTokenPermuteWithEpCall;
using TilingData = MoeTokenPermuteWithEpTilingData;
using slot_copy::Broken;
using slot_copy::BrokenRank;
using slot_copy::CopyBytes;
using slot_copy::Reason;

int64_t Slots(const Call& call) { return slot_copy::Slots(call.indices); }

int64_t RangeStart(const Call& call) { return call.hasRange != 0 ? call.range.values[0] : 0; }

int64_t RangeEnd(const Call& call) {
    return call.hasRange != 0 ? call.range.values[1] : call.numOutTokens;
}

// The rows of the output. A range that ends where it starts means all of them, one that ends before
// leaves out what lies between. numOutTokens without a range is to CANN the end of one; as the
// document has it, more than there are slots mean all of them, and a negative one leaves out so
// many.
int64_t OutRows(const Call& call) {
    if (call.paddedMode != 0) {
        return Slots(call);
    }
    if (call.hasRange == 0 && call.asDocument != 0) {
        return slot_copy::KeptRanks(call.numOutTokens, Slots(call));
    }
    const int64_t rows = RangeEnd(call) - RangeStart(call);
    return rows > 0 ? rows : rows + Slots(call);
}

Reason CheckAttributes(const Call& call) {
    if (call.hasRange != 0 && call.range.count != 2) {
        return Broken("the length of rangeOptional " + slot_copy::Text(call.range),
                      static_cast<int64_t>(call.range.count), "2");
    }
    if (call.paddedMode != 0 && call.asDocument == 0) {
        return Broken("paddedMode", "true", "false");
    }
    return {};
}

// paddedMode: indices name tokens, and probs have a column for each expert, whose rows lie
// together.
Reason CheckPadded(const Call& call) {
    if (call.indices.count != 1) {
        return BrokenRank("indices", call.indices, "1 with paddedMode");
    }
    if (Reason reason = slot_copy::CheckTokens(call.tokens); !reason.empty()) {
        return reason;
    }
    if (call.tokens.values[0] > kMostTokens) {
        return Broken("dim 0 of tokens", call.tokens.values[0],
                      "at most 2^31 with paddedMode, as sortedIndicesOut names them by int32");
    }
    if (call.hasProbs == 0) {
        return {};
    }
    if (call.probs.count != 2) {
        return BrokenRank("probsOptional", call.probs, "2 with paddedMode");
    }
    if (call.probs.values[0] != call.tokens.values[0]) {
        return Broken("dim 0 of probsOptional", call.probs.values[0],
                      "dim 0 of tokens, " + std::to_string(call.tokens.values[0]));
    }
    if (call.probs.values[1] == 0 || Slots(call) % call.probs.values[1] != 0) {
        return Broken(
            "dim 1 of probsOptional", call.probs.values[1],
            "a number of experts that share the " + std::to_string(Slots(call)) + " rows evenly");
    }
    return {};
}

Reason CheckInputs(const Call& call) {
    Reason reason = slot_copy::CheckInputs(call.tokens, call.indices);
    if (!reason.empty() || call.hasProbs == 0) {
        return reason;
    }
    if (call.probs.count != call.indices.count) {
        return BrokenRank("probsOptional", call.probs,
                          "that of indices, " + std::to_string(call.indices.count));
    }
    for (uint64_t axis = 0; axis < call.probs.count; ++axis) {
        if (call.probs.values[axis] != call.indices.values[axis]) {
            return Broken("dim " + std::to_string(axis) + " of probsOptional",
                          call.probs.values[axis],
                          "that of indices, " + std::to_string(call.indices.values[axis]));
        }
    }
    return {};
}

Reason CheckSlots(const Call& call) {
    const int64_t topK = slot_copy::TopK(call.indices);
    if (topK < kLeastTopK || topK > slot_copy::kMostTopK) {
        return Broken("topK, dim 1 of indices", topK,
                      "1 to " + std::to_string(slot_copy::kMostTopK));
    }
    return slot_copy::CheckSlots("indices " + slot_copy::Text(call.indices), call.indices.values[0],
                                 topK);
}

Reason CheckRange(const Call& call) {
    const std::string rule =
        "0 to the number of elements of indices, " + std::to_string(Slots(call));
    const auto isOutside = [&](int64_t rank) { return rank < 0 || rank > Slots(call); };
    if (call.hasRange == 0) {
        return call.asDocument == 0 && isOutside(call.numOutTokens)
                   ? Broken("numOutTokens", call.numOutTokens, rule)
                   : Reason{};
    }
    if (isOutside(RangeStart(call))) {
        return Broken("the start of rangeOptional", RangeStart(call), rule);
    }
    if (isOutside(RangeEnd(call))) {
        return Broken("the end of rangeOptional", RangeEnd(call), rule);
    }
    return {};
}

Reason CheckOutputs(const Call& call) {
    const std::string rows = "the number of ranks in the range";
    Reason reason =
        slot_copy::CheckTokensOut(call.permuteTokensOut, call.tokens, OutRows(call), rows);
    if (reason.empty()) {
        reason = slot_copy::CheckRanksOut(call.sortedIndicesOut, call.indices);
    }
    if (reason.empty() && call.hasProbs != 0) {
        reason =
            slot_copy::CheckVector("permuteProbsOut", call.permuteProbsOut, OutRows(call), rows);
    }
    return reason;
}

Reason Check(const Call& call) {
    const bool isPadded = call.paddedMode != 0;
    const auto sorted = {CheckAttributes, CheckInputs, CheckSlots, CheckRange, CheckOutputs};
    const auto padded = {CheckAttributes, CheckPadded, CheckOutputs};
    for (const auto check : isPadded&& call.asDocument != 0 ? padded : sorted) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return slot_copy::CheckSortUb(call.ubBytes);
}

TilingData Cut(const Call& call) {
    const bool isPadded = call.paddedMode != 0;
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    tiling.key = 1000 + (isPadded ? 100 : 0) + (call.indexDtype == 9 ? 10 : 0) +
                 (slot_copy::ElementBytes(call.dtype) == 2 ? 1 : 0);
    slots.tokens = call.tokens.values[0];
    slots.topK = slot_copy::TopK(call.indices);
    slots.hidden = slot_copy::Columns(call.tokens);
    slots.hasProbs = call.hasProbs != 0 ? 1 : 0;
    const int64_t copied = call.indices.values[0];  // tokens, or padded: rows
    if (copied == 0) {
        return tiling;
    }
    const int64_t rows = OutRows(call);
    slots.firstRank = rows < Slots(call) ? RangeStart(call) : 0;
    slots.endRank = slots.firstRank + rows;
    const CopyBytes bytes(slots.topK, call.dtype, call.hasProbs != 0, isPadded, call.ubBytes);
    slot_copy::CutCopies(bytes, copied, call.cores, &slots);
    if (isPadded) {
        tiling.experts = call.hasProbs != 0 ? call.probs.values[1] : 0;
    } else {
        slot_copy::CutSort(call.cores, call.ubBytes, &slots);
    }
    return tiling;
}

}  // namespace

extern "C" int32_t MoeTokenPermuteWithEpTiling(const MoeTokenPermuteWithEpCall* call,
                                               MoeTokenPermuteWithEpTilingData* tiling,
                                               char* reason, uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenPermuteWithEpTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                    uint32_t cores, uint64_t ubBytes,
                                                    int64_t hidden) {
    const int64_t limit = slot_copy::SortLimit(axis, cores, ubBytes);
    if (limit != slot_copy::kUnknownAxis) {
        return limit;
    }
    std::string stem = axis;
    const bool hasProbs = slot_copy::TakeSuffix("-probs", &stem);
    const bool isPadded = slot_copy::TakeSuffix("-padded", &stem);
    const CopyBytes bytes(topK, dtype, hasProbs, isPadded, slot_copy::MostUb(ubBytes));
    return slot_copy::CopyLimit(stem, bytes, cores, hidden);
}
