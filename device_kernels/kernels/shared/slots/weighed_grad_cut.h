// The host's part of gradients of sums over slots that may have weights of a data type of their
// own: what is checked, what is cut, and the sizes at which it is cut otherwise.
#ifndef WEIGHED_GRAD_CUT_H
#define WEIGHED_GRAD_CUT_H

#include <cstdint>
#include <string>

#include "../checks/tiling_checks.h"
#include "../routing_map/probs_limit.h"
#include "rank_range.h"
#include "slot_copy_cut.h"
#include "slot_grad_cut.h"
#include "slot_grad_limit.h"

namespace weighed_grad {

constexpr int64_t kNoProbs = -1;

inline slot_copy::CopyBytes CopiesOf(int64_t dtype, int64_t ubBytes) {
    return {/*topK=*/1, dtype, /*hasProbs=*/false, /*isPadded=*/false, ubBytes};
}

// Call: one with tokens, topK, hidden, dtype, probsDtype, cores and ubBytes.
template <typename Call>
bool HasProbs(const Call& call) {
    return call.probsDtype != kNoProbs;
}

template <typename Call>
slot_grad::Ub UbOf(const Call& call) {
    return {call.ubBytes, slot_copy::ElementBytes(call.dtype),
            slot_copy::ElementBytes(call.probsDtype)};
}

template <typename Call>
tiling_checks::Reason CheckUb(const Call& call) {
    const int64_t least = HasProbs(call) ? UbOf(call).Least() : slot_grad::kLeastUbOfCopies;
    return tiling_checks::CheckUb(call.ubBytes, least, " for these data types");
}

// Rows have the ranks in the range. Tiling: one with dtype, probsDtype, usedCores, slots, copies.
template <typename Tiling, typename Call>
Tiling Cut(const Call& call, const rank_range::Range& range) {
    Tiling tiling{};
    tiling.dtype = call.dtype;
    tiling.probsDtype = call.probsDtype;
    SlotGradTiling& slots = tiling.slots;
    slots.slots = call.tokens * call.topK;
    slots.topK = call.topK;
    slots.hidden = call.hidden;
    slots.rows = static_cast<int64_t>(range.count);
    if (HasProbs(call)) {
        tiling.usedCores = slot_grad::CutSlots(UbOf(call), call.tokens, call.cores, &slots);
        return tiling;
    }
    SlotCopyTiling& copies = tiling.copies;
    copies.tokens = call.tokens;
    copies.topK = call.topK;
    copies.hidden = call.hidden;
    copies.firstRank = range.first;
    copies.endRank = range.first + slots.rows;
    slot_copy::CutCopies(CopiesOf(call.dtype, call.ubBytes), call.tokens, call.cores, &copies);
    tiling.usedCores = copies.usedCores;
    return tiling;
}

// By the names of slot_grad_limit.h and "cores", each led by what it says of the probs.
inline int64_t Limit(std::string name, int64_t topK, int32_t dtype, uint32_t cores,
                     uint64_t ubBytes, int64_t hidden) {
    const int64_t element = slot_copy::ElementBytes(dtype);
    const int64_t prob = probs_limit::TakeProbsBytes(&name, element);
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && topK <= (prob == 0 ? 1 : tiling_checks::kMostTopK);
    const int64_t bytes = static_cast<int64_t>(ubBytes);
    const int64_t limit =
        prob == 0
            ? slot_grad::CopyLimit(name, CopiesOf(dtype, bytes), cores, hidden)
            : slot_grad::SlotLimit(name, {bytes, element, prob}, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}

}  // namespace weighed_grad

#endif
