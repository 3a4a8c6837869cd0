// Host tiling of MoeTokenUnpermuteGrad: the checks on shapes, then the cut.

#include "moe_token_unpermute_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/routing_map/probs_limit.h"
#include "../shared/slots/slot_copy_check.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_grad_cut.h"
#include "../shared/slots/slot_grad_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteGrad";
constexpr int64_t kNoProbs = -1;

using Call = MoeTokenUnpermuteGradCall;
using TilingData = MoeTokenUnpermuteGradTilingData;
using List = SlotCopyList;
using slot_copy::Broken;
using slot_copy::CopyBytes;
using slot_copy::ElementBytes;
using slot_copy::Reason;
using slot_grad::kLeastUbOfCopies;
using slot_grad::Ub;

bool HasProbs(const Call& call) { return call.probsDtype != kNoProbs; }

// Read after the ranks were checked.
int64_t TopK(const Call& call) { return HasProbs(call) ? call.probs.values[1] : 1; }

int64_t Tokens(const Call& call) {
    return HasProbs(call) ? call.probs.values[0] : call.sortedIndices.values[0];
}

Ub UbOf(const Call& call) {
    return {call.ubBytes, ElementBytes(call.dtype), ElementBytes(call.probsDtype)};
}

CopyBytes CopiesOf(int64_t dtype, int64_t ubBytes) {
    return {/*topK=*/1, dtype, /*hasProbs=*/false, /*isPadded=*/false, ubBytes};
}

Reason CheckRank(const char* name, const List& shape, uint64_t rank) {
    return shape.count == rank ? Reason{}
                               : slot_copy::BrokenRank(name, shape, std::to_string(rank));
}

Reason CheckRanks(const Call& call) {
    const struct {
        const char* name;
        const List& shape;
        uint64_t rank;
        bool isThere;
    } tensors[] = {{"permutedTokens", call.permutedTokens, 2, true},
                   {"unpermutedTokensGrad", call.unpermutedTokensGrad, 2, true},
                   {"sortedIndices", call.sortedIndices, 1, true},
                   {"probsOptional", call.probs, 2, HasProbs(call)},
                   {"permutedTokensGradOut", call.permutedTokensGrad, 2, true},
                   {"probsGradOut", call.probsGrad, 2, HasProbs(call)}};
    for (const auto& [name, shape, rank, isThere] : tensors) {
        if (Reason reason = isThere ? CheckRank(name, shape, rank) : Reason{}; !reason.empty()) {
            return reason;
        }
    }
    return {};
}

Reason CheckTopK(const Call& call) {
    const int64_t topK = TopK(call);
    return topK >= 1 && topK <= slot_copy::kMostTopK
               ? Reason{}
               : Broken("topK, dim 1 of probsOptional,", topK,
                        "1 to " + std::to_string(slot_copy::kMostTopK));
}

Reason CheckPositive(const Call& call) {
    const struct {
        const char* name;
        int64_t size;
    } sizes[] = {{"dim 0 of permutedTokens", call.permutedTokens.values[0]},
                 {"dim 1 of permutedTokens", call.permutedTokens.values[1]},
                 {"dim 0 of unpermutedTokensGrad", call.unpermutedTokensGrad.values[0]}};
    for (const auto& [name, size] : sizes) {
        if (size < 1) {
            return Broken(name, size, "greater than 0");
        }
    }
    return {};
}

Reason CheckSize(const std::string& name, int64_t size, int64_t expected,
                 const std::string& meaning) {
    return size == expected ? Reason{}
                            : Broken(name, size, meaning + ", " + std::to_string(expected));
}

Reason CheckSlots(const Call& call) {
    const int64_t slots = call.sortedIndices.values[0];
    const int64_t topK = TopK(call);
    // Compared without the product, which may be too large for an integer.
    if (slots % topK != 0 || slots / topK != Tokens(call)) {
        return Broken("dim 0 of sortedIndices", slots,
                      "the number of elements of probsOptional, " + std::to_string(Tokens(call)) +
                          " * " + std::to_string(topK));
    }
    return CheckSize(
        "dim 0 of unpermutedTokensGrad", call.unpermutedTokensGrad.values[0], Tokens(call),
        HasProbs(call) ? "dim 0 of probsOptional" : "dim 0 of sortedIndices without probsOptional");
}

Reason CheckSizes(const Call& call) {
    Reason reason = CheckSize("dim 1 of unpermutedTokensGrad", call.unpermutedTokensGrad.values[1],
                              call.permutedTokens.values[1], "dim 1 of permutedTokens");
    for (const int axis : {0, 1}) {
        const std::string of = "dim " + std::to_string(axis) + " of ";
        if (reason.empty()) {
            reason = CheckSize(of + "permutedTokensGradOut", call.permutedTokensGrad.values[axis],
                               call.permutedTokens.values[axis], of + "permutedTokens");
        }
    }
    for (const int axis : {0, 1}) {
        const std::string of = "dim " + std::to_string(axis) + " of ";
        if (reason.empty() && HasProbs(call)) {
            reason = CheckSize(of + "probsGradOut", call.probsGrad.values[axis],
                               call.probs.values[axis], of + "probsOptional");
        }
    }
    return reason;
}

Reason CheckMachine(const Call& call) {
    const int64_t least = HasProbs(call) ? UbOf(call).Least() : kLeastUbOfCopies;
    return call.ubBytes >= least
               ? Reason{}
               : Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                        std::to_string(least) + " bytes or more for these data types");
}

Reason Check(const Call& call) {
    for (const auto check :
         {CheckRanks, CheckTopK, CheckPositive, CheckSlots, CheckSizes, CheckMachine}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

void CutCopies(const Call& call, TilingData* tiling) {
    SlotCopyTiling& copies = tiling->copies;
    copies.tokens = Tokens(call);
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
    tiling.slots.slots = call.sortedIndices.values[0];
    tiling.slots.topK = TopK(call);
    tiling.slots.hidden = call.permutedTokens.values[1];
    tiling.slots.rows = call.permutedTokens.values[0];
    if (HasProbs(call)) {
        tiling.usedCores = slot_grad::CutSlots(UbOf(call), Tokens(call), call.cores, &tiling.slots);
    } else {
        CutCopies(call, &tiling);
    }
    return tiling;
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteGradTiling(const MoeTokenUnpermuteGradCall* call,
                                               MoeTokenUnpermuteGradTilingData* tiling,
                                               char* reason, uint64_t reasonBytes) {
    const int32_t status = slot_copy::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == slot_copy::kAccepted) {
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
    const bool known = topK >= 1 && topK <= (prob == 0 ? 1 : slot_copy::kMostTopK);
    const int64_t bytes = static_cast<int64_t>(ubBytes);
    const int64_t limit =
        prob == 0
            ? slot_grad::CopyLimit(name, CopiesOf(dtype, bytes), cores, hidden)
            : slot_grad::SlotLimit(name, {bytes, element, prob}, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
