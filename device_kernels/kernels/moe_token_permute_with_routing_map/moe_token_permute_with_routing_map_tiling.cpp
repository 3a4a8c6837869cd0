// Host tiling of MoeTokenPermuteWithRoutingMap: the cut of a call, and its limits. The checks on
// shapes and attributes are in ..._check.h.

#include "moe_token_permute_with_routing_map_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/routing_map/routing_map_cut.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_copy_limit.h"
#include "../shared/slots/slot_shape_check.h"
#include "moe_token_permute_with_routing_map_check.h"

namespace {

using namespace routing_map_permute;
using slot_copy::CopyBytes;
using slot_copy::RoundUp;
using TilingData = MoeTokenPermuteWithRoutingMapTilingData;

constexpr const char* kSource = "host tiling of MoeTokenPermuteWithRoutingMap";
constexpr int64_t kCountBytes = 4;  // int32
constexpr int64_t kRanksAndFound = 2;

// As the header's table has it. A tile of some experts has at most as many ranks as experts.
routing_map::Ub MapUb(int64_t bytes, int64_t dtype, int64_t topK, bool isPadded, bool hasProbs) {
    const int64_t prob = hasProbs ? slot_copy::ElementBytes(dtype) : 0;
    const int64_t named = slot_copy::kRankBytes;
    return {bytes, 1 + prob, prob + named * (isPadded ? 1 : topK),
            routing_map::kCountBytes + (isPadded ? 0 : named),
            (hasProbs ? 1 : 0) + (isPadded ? 1 : kRanksAndFound)};
}

CopyBytes BytesOfCopies(int64_t bytes, int64_t dtype, int64_t topK, bool isPadded) {
    return {isPadded ? 1 : topK, dtype, /*hasProbs=*/false, /*isPadded=*/false, bytes};
}

int64_t Key(const Call& call) {
    return 1000 + (call.dropAndPad != 0 ? 100 : 0) +
           (slot_copy::ElementBytes(call.dtype) == 4 ? 0 : 1);
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    SlotCopyTiling& slots = tiling.slots;
    const bool isPadded = call.dropAndPad != 0;
    tiling.key = Key(call);
    if (IsEmpty(call)) {
        return tiling;
    }
    tiling.hasProbs = HasProbs(call) ? 1 : 0;
    tiling.capacity = Capacity(call);
    slots.tokens = Tokens(call);
    slots.topK = isPadded ? 1 : TopK(call);
    slots.hidden = slot_copy::Columns(call.tokens);
    slots.endRank = OutRows(call);
    slot_copy::CutCopies(BytesOfCopies(call.ubBytes, call.dtype, slots.topK, isPadded),
                         isPadded ? slots.endRank : slots.tokens, call.cores, &slots);
    tiling.map = MapUb(call.ubBytes, call.dtype, slots.topK, isPadded, HasProbs(call))
                     .Cut(Tokens(call), Experts(call), call.cores);
    slots.usedCores = std::max(slots.usedCores, tiling.map.usedCores);
    tiling.foundOffset =
        RoundUp(slots.usedCores * Experts(call) * kCountBytes, slot_copy::kWorkspaceAlignment);
    const bool keepsFound = !isPadded && tiling.map.tileExperts < Experts(call);
    slots.workspaceBytes =
        tiling.foundOffset +
        (keepsFound ? RoundUp(Tokens(call) * kCountBytes, slot_copy::kWorkspaceAlignment) : 0);
    return tiling;
}

}  // namespace

extern "C" int32_t MoeTokenPermuteWithRoutingMapTiling(
    const MoeTokenPermuteWithRoutingMapCall* call, MoeTokenPermuteWithRoutingMapTilingData* tiling,
    char* reason, uint64_t reasonBytes) {
    const Reason broken = CheckInterface(*call);
    int32_t status = slot_copy::Answer(broken, kSource, reason, reasonBytes, kParameterInvalid);
    if (status == slot_copy::kAccepted && !IsEmpty(*call)) {
        status = slot_copy::Answer(CheckCapacity(*call), kSource, reason, reasonBytes);
    }
    if (status == slot_copy::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenPermuteWithRoutingMapTilingLimit(const char* axis, int64_t topK,
                                                            int32_t dtype, uint32_t cores,
                                                            uint64_t ubBytes, int64_t hidden) {
    std::string stem = axis;
    if (stem == "ub-bytes" || stem == "cores") {
        return slot_copy::SortLimit(stem, cores, ubBytes);
    }
    const bool hasProbs = slot_copy::TakeSuffix("-probs", &stem);
    const bool isPadded = slot_copy::TakeSuffix("-padded", &stem);
    const int64_t bytes = slot_copy::MostUb(ubBytes);
    if (stem != "experts" && stem != "map-batch") {
        const CopyBytes copies = BytesOfCopies(bytes, dtype, topK, isPadded);
        return hasProbs ? slot_copy::kUnknownAxis
                        : slot_copy::CopyLimit(stem, copies, cores, hidden);
    }
    const bool isKnown = isPadded || (topK >= 1 && topK <= kMostTopK);
    if (bytes < stable_sort::kLeastUb || !isKnown || hidden < 0) {
        return 0;
    }
    const routing_map::Ub ub = MapUb(bytes, dtype, topK, isPadded, hasProbs);
    return stem == "experts" ? ub.MostExperts() : ub.MostTokens(hidden);
}
