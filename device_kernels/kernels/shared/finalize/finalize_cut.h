// Host side of FinalizeTiling: how many slots of a token have their names in the unified buffer
// beside the columns, the check, and the limits.
#ifndef FINALIZE_CUT_H
#define FINALIZE_CUT_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../checks/tiling_checks.h"
#include "../rows/row_sum_cut.h"
#include "../rows/row_sum_limits.h"
#include "finalize_tiling.h"

namespace finalize {

constexpr int64_t kFirstTokenMajorMode = 2;
constexpr int64_t kFp32 = 0;  // aclDataType
constexpr int64_t kNoScales = -1;
constexpr int64_t kIndexBytes = 4;   // int32
constexpr int64_t kNamesShare = 4;   // names of one token may take such a part of the UB
constexpr int64_t kRowsInPairs = 3;  // fp32 rows beside those of 16 bits, where there is a bias

// The UB of one core, and what decides how it is shared.
struct Ub {
    int64_t bytes;
    int64_t elementBytes;
    int64_t scaleBytes;  // 0: there are no scales
    bool hasBias;
    bool isSlotMajor;
    bool hasRanges = false;

    // That with `slots` slots of a token as one name.
    row_sum::Ub Of(int64_t slots) const {
        row_sum::Ub ub{bytes, elementBytes, slots * kIndexBytes, slots * scaleBytes};
        if (isSlotMajor) {
            ub.nameBytes = kIndexBytes;
            ub.nameBuffers = slots;
        }
        if (HasExperts()) {
            ub.secondNameBytes = slots * kIndexBytes;
            ub.wideRows = kRowsInPairs;
        }
        ub.moreRows = hasRanges ? 1 : 0;
        return ub;
    }

    bool HasExperts() const { return hasBias || hasRanges; }

    int64_t Least() const { return Of(1).Least(); }

    // The most slots in one part; 0 below the least UB.
    int64_t MostSlots() const {
        if (bytes < Least()) {
            return 0;
        }
        const int64_t room = bytes / kNamesShare;
        const int64_t index = isSlotMajor ? row_sum::kBlockBytes : kIndexBytes;
        int64_t slots = room / (index + scaleBytes + (HasExperts() ? kIndexBytes : 0));
        while (slots > 1 && (Of(slots).OfNames(1) > room || Of(slots).Least() > bytes)) {
            --slots;
        }
        return std::max<int64_t>(slots, 1);
    }

    int64_t SlotsPerPart(int64_t topK) const { return std::min(topK, MostSlots()); }

    // Where a core has `tokens` of all tokens at most.
    RowSumTiling Cut(int64_t all, int64_t hidden, int64_t sourceRows, int64_t topK,
                     int64_t tokens) const {
        const int64_t slots = SlotsPerPart(topK);
        return Of(slots).Cut(all, hidden, sourceRows, slots < topK ? 1 : tokens);
    }
};

// Of fp32, fp16 or bf16, or of scales that are not there.
inline int64_t BytesOf(int64_t aclDataType) {
    return aclDataType == kNoScales ? 0 : aclDataType == kFp32 ? 4 : 2;
}

inline bool IsSlotMajor(const FinalizeCall& call) {
    return call.dropPadMode < kFirstTokenMajorMode;
}

inline Ub UbOf(const FinalizeCall& call) {
    return {call.ubBytes, BytesOf(call.dtype), BytesOf(call.scalesDtype), call.biasRows > 0,
            IsSlotMajor(call)};
}

inline tiling_checks::Reason Check(const Ub& ub) {
    return tiling_checks::CheckUb(ub.bytes, ub.Least(), " in these data types");
}

inline FinalizeTiling Cut(const FinalizeCall& call, const Ub& ub) {
    const int64_t used = std::min(call.tokens, call.cores);
    return {call.dtype,
            call.scalesDtype,
            used,
            call.topK,
            ub.SlotsPerPart(call.topK),
            IsSlotMajor(call) ? 1 : 0,
            call.hasX1,
            call.hasX2,
            call.biasRows,
            ub.Cut(call.tokens, call.hidden, call.rows, call.topK,
                   row_sum::CeilDiv(call.tokens, used))};
}

// What the tiling of an operator without ranges answers, and its cut.
template <typename Tiling>
int32_t PlainTiling(const FinalizeCall& call, Tiling* tiling, const char* source, char* reason,
                    uint64_t reasonBytes) {
    const Ub ub = UbOf(call);
    const int32_t status = tiling_checks::Answer(Check(ub), source, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = {Cut(call, ub)};
    }
    return status;
}

// A limit by the rest of its name, for a UB and a topK that is one.
inline int64_t LimitOf(const std::string& axis, const Ub& ub, int64_t topK, uint32_t cores,
                       int64_t hidden) {
    if (axis == "ub-bytes") {
        return ub.Least();
    }
    if (axis == "slots") {
        return ub.MostSlots();
    }
    const int64_t slots = ub.SlotsPerPart(topK);
    const bool isWhole = slots == topK;
    if (!isWhole && axis == "batch") {
        return std::min<int64_t>(slots, 1);
    }
    if (!isWhole && axis == "tokens") {
        return std::min<int64_t>(slots, 1) * cores;
    }
    const int64_t limit = row_sum::Limit(axis, ub.Of(std::max<int64_t>(slots, 1)), cores, hidden);
    return slots == 0 ? std::min<int64_t>(limit, 0) : limit;
}

inline bool Take(std::string* axis, const std::string& prefix) {
    const bool isLed = axis->starts_with(prefix);
    axis->erase(0, isLed ? prefix.size() : 0);
    return isLed;
}

// What a tiling answers, by the names that finalize_tiling.h explains. `bare`: the largest topK
// without scales.
inline int64_t Limit(const char* axis, int64_t topK, int64_t bare, int32_t dtype, uint32_t cores,
                     uint64_t ubBytes, int64_t hidden, bool mayHaveRanges = false) {
    std::string name = axis;
    Ub ub{static_cast<int64_t>(ubBytes), BytesOf(dtype), BytesOf(dtype), false, true};
    ub.isSlotMajor = !Take(&name, "token-major-");
    ub.hasBias = Take(&name, "bias-");
    ub.hasRanges = mayHaveRanges && Take(&name, "ranges-");
    const bool hasScales = !Take(&name, "no-scales-");
    if (!hasScales) {
        ub.scaleBytes = 0;
    } else if (Take(&name, "fp32-scales-")) {
        ub.scaleBytes = BytesOf(kFp32);
    }
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && (hasScales || topK <= bare);
    const int64_t limit = LimitOf(name, ub, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}

}  // namespace finalize

#endif
