// Host tiling of MoeTokenUnpermuteWithRoutingMap: whether it can be done, the cut, and its limits.

#include "moe_token_unpermute_with_routing_map_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"
#include "../shared/slots/slot_copy_limit.h"
#include "../shared/slots/weighed_sum_cut.h"
#include "../shared/sorting/stable_sort_cut.h"

namespace {

constexpr const char* kSource = "host tiling of MoeTokenUnpermuteWithRoutingMap";
constexpr int64_t kListBytes = 8;                        // of an element, and of its place
constexpr int64_t kMostListed = 1LL << 18;               // one copy has 21 bits for its bytes
constexpr int64_t kMostSortedTokens = int64_t{1} << 24;  // keys are exact in fp32 up to there
constexpr int64_t kMostSlots = (int64_t{1} << 31) - 1;   // row numbers are int32
constexpr const char* kRows = "dim 0 of permutedTokens";

using Call = MoeTokenUnpermuteWithRoutingMapCall;
using TilingData = MoeTokenUnpermuteWithRoutingMapTilingData;
using row_sum::Ub;
using tiling_checks::Broken;
using tiling_checks::kMostTopK;
using tiling_checks::Reason;
using weighed_sum::BytesOf;
using weighed_sum::kIndexBytes;
using weighed_sum::kNoProbs;

int64_t TopK(const Call& call) { return call.padded != 0 ? 0 : call.slots / call.tokens; }

Ub PadUb(int64_t bytes, int64_t aclDataType) {
    return {bytes, BytesOf(aclDataType), kIndexBytes, 0, kIndexBytes};
}

// Without a slot there is nothing to name.
Ub UbOf(const Call& call) {
    return call.padded != 0 || call.slots == 0
               ? PadUb(call.ubBytes, call.dtype)
               : weighed_sum::UbOf(call.ubBytes, call.dtype, BytesOf(call.probsDtype), TopK(call));
}

int64_t LeastUb(const Ub& ub, bool isPadded) {
    return isPadded ? std::max(ub.Least(), stable_sort::kLeastUb) : ub.Least();
}

Reason CheckRestoreShape(const Call& call) {
    return call.restored == call.hidden
               ? Reason{}
               : Broken("restoreShapeOptional[1]", call.restored,
                        "dim 1 of permutedTokens, " + std::to_string(call.hidden));
}

Reason CheckSharers(const Call& call) {
    if (call.slots > kMostSlots) {
        return Broken(kRows, call.slots, "at most " + std::to_string(kMostSlots));
    }
    const bool ofExperts = call.padded != 0;
    const int64_t sharers = ofExperts ? call.experts : call.tokens;
    const bool isShared = call.slots == 0 || (ofExperts && call.probsDtype == kNoProbs) ||
                          (sharers > 0 && call.slots % sharers == 0);
    return isShared ? Reason{}
                    : Broken(kRows, call.slots,
                             std::string("a multiple of ") +
                                 (ofExperts ? "the experts, " : "the tokens, ") +
                                 std::to_string(sharers) + ", if paddedMode is " +
                                 (ofExperts ? "true" : "false"));
}

Reason CheckLimits(const Call& call) {
    if (call.padded == 0) {
        return tiling_checks::CheckTopK("topK, the rows of permutedTokens for each token,",
                                        TopK(call));
    }
    return call.tokens <= kMostSortedTokens
               ? Reason{}
               : Broken("dim 0 of unpermutedTokens", call.tokens,
                        "at most " + std::to_string(kMostSortedTokens) + " if paddedMode is true");
}

Reason Check(const Call& call) {
    for (const auto check : {CheckRestoreShape, CheckSharers, CheckLimits}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return tiling_checks::CheckUb(call.ubBytes, LeastUb(UbOf(call), call.padded != 0),
                                  " for this call");
}

int64_t ListBatch(int64_t ubBytes) { return std::min(ubBytes / kListBytes / 8 * 8, kMostListed); }

TilingData Cut(const Call& call) {
    TilingData tiling{};
    const int64_t share = std::min(call.tokens, call.cores);
    const bool isPadded = call.padded != 0;
    const int64_t names =
        isPadded ? std::max<int64_t>(call.slots, 1) : row_sum::CeilDiv(call.tokens, share);
    tiling.dtype = call.dtype;
    tiling.probsDtype = call.probsDtype;
    tiling.padded = call.padded;
    tiling.usedCores = share;
    tiling.slots = call.slots;
    tiling.topK = TopK(call);
    tiling.experts = call.experts;
    tiling.capacity = isPadded && call.experts > 0 ? call.slots / call.experts : 0;
    tiling.rows = UbOf(call).Cut(call.tokens, call.hidden, call.slots, names);
    if (isPadded && call.slots > 0) {
        tiling.sort = stable_sort::Cut(call.slots, call.cores, call.ubBytes);
        tiling.usedCores = std::max(share, std::min(tiling.sort.runs, call.cores));
        tiling.pairsBytes =
            slot_copy::RoundUp(stable_sort::PairBytes(tiling.sort), slot_copy::kWorkspaceAlignment);
        tiling.workspaceBytes = 2 * tiling.pairsBytes;
    }
    const int64_t each = isPadded ? row_sum::CeilDiv(call.slots, tiling.usedCores)
                                  : row_sum::CeilDiv(call.tokens, share) * tiling.topK;
    const bool hasLists = isPadded || call.probsDtype != kNoProbs;
    tiling.listBatch = hasLists ? std::min(each, ListBatch(call.ubBytes)) : 0;
    return tiling;
}

int64_t PadLimit(const std::string& name, int32_t dtype, uint32_t cores, uint64_t ubBytes,
                 int64_t hidden) {
    const Ub ub = PadUb(slot_copy::MostUb(ubBytes), dtype);
    const int64_t least = LeastUb(ub, true);
    const bool isOfRows =
        name == "four-buffers" || name == "three-buffers" || name == "hidden" || name == "batch";
    if (name == "ub-bytes") {
        return least;
    }
    if (isOfRows) {
        return ub.bytes < least ? 0 : row_sum::Limit(name, ub, cores, hidden);
    }
    if (name == "list") {
        return ub.bytes < least ? 0 : ListBatch(ub.bytes);
    }
    return name == "cores" ? -1 : slot_copy::SortLimit(name, cores, ubBytes);
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteWithRoutingMapTiling(
    const MoeTokenUnpermuteWithRoutingMapCall* call,
    MoeTokenUnpermuteWithRoutingMapTilingData* tiling, char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

extern "C" int64_t MoeTokenUnpermuteWithRoutingMapTilingLimit(const char* axis, int64_t topK,
                                                              int32_t dtype, uint32_t cores,
                                                              uint64_t ubBytes, int64_t hidden) {
    const std::string name = axis;
    return name.starts_with("pad-")
               ? PadLimit(name.substr(4), dtype, cores, ubBytes, hidden)
               : weighed_sum::Limit(name, topK, dtype, cores, ubBytes, hidden, kMostTopK);
}
