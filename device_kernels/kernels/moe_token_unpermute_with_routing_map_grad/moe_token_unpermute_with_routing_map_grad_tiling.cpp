// Host tiling of MoeTokenUnpermuteWithRoutingMapGrad: whether it can be done, then the cut.

#include "moe_token_unpermute_with_routing_map_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/routing_map/probs_limit.h"
#include "../shared/rows/zero_fill_cut.h"
#include "../shared/slots/slot_copy_limit.h"
#include "../shared/slots/slot_grad_cut.h"
#include "../shared/slots/slot_grad_limit.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteWithRoutingMapGrad";
constexpr int64_t kMostSlots = (int64_t{1} << 31) - 1;  // row numbers are int32
constexpr int64_t kNoProbs = -1;
constexpr int64_t kLeastUbOfRows = 2 * slot_grad::kBlockBytes;  // a block in each buffer
constexpr const char* kSlots = "dim 0 of outIndex";

using Call = MoeTokenUnpermuteWithRoutingMapGradCall;
using TilingData = MoeTokenUnpermuteWithRoutingMapGradTilingData;
using slot_copy::ElementBytes;
using slot_grad::Ub;
using tiling_checks::Broken;
using tiling_checks::kMostTopK;
using tiling_checks::Reason;

bool HasProbs(const Call& call) { return call.probsDtype != kNoProbs; }

int64_t TopK(const Call& call) { return call.padded != 0 ? 1 : call.slots / call.tokens; }

Ub UbOf(int64_t bytes, int64_t element, int64_t prob) {
    return {bytes, element, prob, /*hasBias=*/false, /*isApart=*/true};
}

Ub UbOf(const Call& call) {
    return UbOf(call.ubBytes, ElementBytes(call.dtype), ElementBytes(call.probsDtype));
}

// Columns of a row that is only moved.
int64_t MostColumns(int64_t ubBytes, int64_t element) {
    return slot_copy::RoundDown(ubBytes / 2, slot_grad::kBlockBytes) / element;
}

Reason Even(const Call& call, int64_t sharers, const char* names) {
    return sharers > 0 && call.slots % sharers == 0
               ? Reason{}
               : Broken(kSlots, call.slots,
                        std::string("a multiple of ") + names + ", " + std::to_string(sharers) +
                            ", if dropAndPad is " + (call.padded != 0 ? "true" : "false"));
}

Reason CheckPadded(const Call& call) {
    const Reason reason = HasProbs(call) ? Even(call, call.experts, "the experts") : Reason{};
    if (!reason.empty() || !HasProbs(call) || call.slots / call.experts <= call.tokens) {
        return reason;
    }
    return Broken("capacity, the slots of each expert,", call.slots / call.experts,
                  "at most dim 0 of unpermutedTokensGrad, " + std::to_string(call.tokens));
}

Reason CheckSlots(const Call& call) {
    const char* name = "topK, the slots of each token,";
    const Reason reason = Even(call, call.tokens, "the tokens");
    if (!reason.empty() || !HasProbs(call)) {
        return reason;
    }
    const Reason many = tiling_checks::CheckTopK(name, TopK(call));
    return !many.empty() || TopK(call) <= call.experts
               ? many
               : Broken(name, TopK(call),
                        "at most dim 1 of probsOptional, " + std::to_string(call.experts));
}

Reason Check(const Call& call) {
    if (call.slots > kMostSlots) {
        return Broken(kSlots, call.slots, "at most " + std::to_string(kMostSlots));
    }
    const Reason reason = call.padded != 0 ? CheckPadded(call) : CheckSlots(call);
    const int64_t least = HasProbs(call) ? UbOf(call).Least() : kLeastUbOfRows;
    return reason.empty() ? tiling_checks::CheckUb(call.ubBytes, least, " for these data types")
                          : reason;
}

void CutWeighed(const Call& call, TilingData* tiling) {
    const int64_t tokens = call.padded != 0 ? call.slots : call.tokens;
    const int64_t busy = slot_grad::CutSlots(UbOf(call), tokens, call.cores, &tiling->slots);
    tiling->probs = call.tokens * call.experts;
    tiling->experts = call.experts;
    tiling->capacity = call.padded != 0 ? call.slots / call.experts : 0;
    const zero_fill::Zeros zeros = zero_fill::Cut(tiling->probs, busy, call.cores, call.ubBytes,
                                                  ElementBytes(call.probsDtype));
    tiling->usedCores = zeros.cores;
    tiling->zerosAtOnce = zeros.atOnce;
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    tiling.dtype = call.dtype;
    tiling.probsDtype = call.probsDtype;
    tiling.padded = call.padded;
    tiling.slots.slots = call.slots;
    tiling.slots.topK = TopK(call);
    tiling.slots.hidden = call.hidden;
    tiling.slots.rows = call.slots;
    if (HasProbs(call)) {
        CutWeighed(call, &tiling);
    } else {
        tiling.usedCores = std::min(call.slots, call.cores);
        tiling.slots.tileColumns =
            std::min(call.hidden, MostColumns(call.ubBytes, ElementBytes(call.dtype)));
    }
    return tiling;
}

int64_t RowLimit(const std::string& axis, int64_t ubBytes, int64_t element) {
    if (axis == "ub-bytes") {
        return kLeastUbOfRows;
    }
    return axis == "hidden" ? MostColumns(ubBytes, element) : slot_grad::kUnknownAxis;
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteWithRoutingMapGradTiling(
    const MoeTokenUnpermuteWithRoutingMapGradCall* call,
    MoeTokenUnpermuteWithRoutingMapGradTilingData* tiling, char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteWithRoutingMapGradTilingLimit(const char* axis, int64_t topK,
                                                                  int32_t dtype, uint32_t cores,
                                                                  uint64_t ubBytes,
                                                                  int64_t hidden) {
    std::string name = axis;
    const int64_t bytes = slot_copy::MostUb(ubBytes);
    const int64_t element = ElementBytes(dtype);
    const int64_t prob = probs_limit::TakeProbsBytes(&name, element);
    if (prob > 0 && name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && topK <= kMostTopK;
    const Ub ub = UbOf(bytes, element, prob);
    if (prob > 0 && name == "zeros") {
        return known && bytes >= ub.Least() ? zero_fill::MostAtOnce(bytes, prob) * cores : 0;
    }
    const int64_t limit = prob == 0
                              ? RowLimit(name, bytes, element)
                              : slot_grad::SlotLimit(name, ub, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
