// Host tiling of MoeTokenUnpermuteGrad: the checks on shapes, then the cut.

#include "moe_token_unpermute_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/probs_limit.h"
#include "../shared/slot_copy_check.h"
#include "../shared/slot_copy_cut.h"
#include "moe_token_unpermute_grad_ub.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteGrad";
constexpr int64_t kNoProbs = -1;
constexpr int64_t kLeastUbOfCopies = 96;  // a block of ranks, and two of a row

using Call = MoeTokenUnpermuteGradCall;
using TilingData = MoeTokenUnpermuteGradTilingData;
using List = SlotCopyList;
using moe_token_unpermute_grad::Ub;
using slot_copy::Broken;
using slot_copy::CopyBytes;
using slot_copy::ElementBytes;
using slot_copy::Reason;
using stable_sort::CeilDiv;

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
    copies.topK = tiling->topK;
    copies.hidden = tiling->hidden;
    copies.endRank = tiling->permutedRows;
    slot_copy::CutCopies(CopiesOf(call.dtype, call.ubBytes), copies.tokens, call.cores, &copies);
    tiling->usedCores = copies.usedCores;
}

void CutSlots(const Call& call, TilingData* tiling) {
    const Ub ub = UbOf(call);
    const int64_t topK = tiling->topK;
    const int64_t unit = Tokens(call) < call.cores ? 1 : topK;
    tiling->slotsPerCore = CeilDiv(tiling->slots / unit, call.cores) * unit;
    tiling->usedCores = CeilDiv(tiling->slots, tiling->slotsPerCore);
    tiling->slotsPerBatch = std::min(ub.SlotsOfBatch(topK, tiling->hidden), tiling->slotsPerCore);
    tiling->slotsPerPart = std::min(ub.SlotsOfPart(topK), tiling->slotsPerCore);
    tiling->tileColumns = ub.TileColumns(topK, tiling->hidden);
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    tiling.dtype = call.dtype;
    tiling.probsDtype = call.probsDtype;
    tiling.slots = call.sortedIndices.values[0];
    tiling.topK = TopK(call);
    tiling.hidden = call.permutedTokens.values[1];
    tiling.permutedRows = call.permutedTokens.values[0];
    HasProbs(call) ? CutSlots(call, &tiling) : CutCopies(call, &tiling);
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

namespace {

inline int64_t CopyLimit(const std::string& axis, int64_t dtype, int64_t cores, int64_t ubBytes,
                         int64_t hidden) {
    const CopyBytes bytes = CopiesOf(dtype, ubBytes);
    if (axis == "ub-bytes") {
        return kLeastUbOfCopies;
    }
    if (axis != "hidden" && axis != "batch" && axis != "tokens") {
        return -1;
    }
    if (ubBytes < kLeastUbOfCopies) {
        return 0;
    }
    if (axis == "hidden") {
        return bytes.MostColumns();
    }
    return bytes.Cut(hidden).tokensPerBatch * (axis == "batch" ? 1 : cores);
}

inline int64_t SlotLimit(const std::string& axis, const Ub& ub, int64_t topK, int64_t cores,
                         int64_t hidden) {
    if (axis == "ub-bytes") {
        return ub.Least();
    }
    if (axis != "part" && axis != "hidden" && axis != "batch" && axis != "tokens") {
        return -1;
    }
    if (ub.bytes < ub.Least()) {
        return 0;
    }
    if (axis == "part") {
        return ub.MostOfPart();
    }
    if (axis == "hidden") {
        return ub.MostColumns(topK);
    }
    const int64_t batch = ub.SlotsOfBatch(topK, hidden);
    if (axis == "batch") {
        return batch;
    }
    return batch < topK ? batch * cores / topK : batch / topK * cores;
}

}  // namespace

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
        prob == 0 ? CopyLimit(name, dtype, cores, bytes, hidden)
                  : SlotLimit(name, {bytes, element, prob}, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
