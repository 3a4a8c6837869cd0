// Host tiling of MoeFinalizeRoutingV2Grad: whether it can be done, then the cut.

#include "moe_finalize_routing_v2_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"
#include "../shared/rows/zero_fill_cut.h"
#include "../shared/slots/slot_copy_cut.h"
#include "../shared/slots/slot_grad_cut.h"
#include "../shared/slots/slot_grad_limit.h"

namespace {

using Call = MoeFinalizeRoutingV2GradCall;
using slot_copy::CopyBytes;
using slot_copy::ElementBytes;
using slot_grad::kLeastUbOfCopies;
using slot_grad::Ub;
using tiling_checks::Reason;
using TilingData = MoeFinalizeRoutingV2GradTilingData;

constexpr const char* kSource = "host tiling of MoeFinalizeRoutingV2Grad";

bool IsDropPad(const Call& call) { return call.dropPadMode == 1; }

Ub UbOf(int64_t dtype, bool hasBias, int64_t ubBytes) {
    return {ubBytes, ElementBytes(dtype), ElementBytes(dtype), hasBias};
}

CopyBytes CopiesOf(int64_t dtype, int64_t ubBytes) {
    return {/*topK=*/1, dtype, /*hasProbs=*/false, /*isPadded=*/false, ubBytes};
}

Reason Check(const Call& call) {
    const int64_t least =
        call.hasScales ? UbOf(call.dtype, call.hasBias, call.ubBytes).Least() : kLeastUbOfCopies;
    return tiling_checks::CheckUb(call.ubBytes, least, " for this call");
}

void CutCopies(const Call& call, TilingData* tiling) {
    SlotCopyTiling& copies = tiling->copies;
    copies.tokens = call.tokens;
    copies.topK = tiling->slots.topK;
    copies.hidden = tiling->slots.hidden;
    copies.endRank = tiling->slots.rows;
    slot_copy::CutCopies(CopiesOf(call.dtype, call.ubBytes), copies.tokens, call.cores, &copies);
    tiling->usedCores = copies.usedCores;
}

// Fills in how zeros are written, and adds the cores that it takes. Phase 1 has seen that the
// number of elements fits in 63 bits.
void CutZeros(const Call& call, TilingData* tiling) {
    tiling->zeroedElements = tiling->slots.rows * tiling->slots.hidden;
    const zero_fill::Zeros zeros =
        zero_fill::Cut(tiling->zeroedElements, tiling->usedCores, call.cores, call.ubBytes,
                       ElementBytes(call.dtype));
    tiling->usedCores = zeros.cores;
    tiling->zerosAtOnce = zeros.atOnce;
}

TilingData Cut(const Call& call) {
    TilingData tiling{};
    tiling.dtype = call.dtype;
    tiling.hasScales = call.hasScales;
    tiling.hasBias = call.hasBias;
    tiling.slots.slots = call.tokens * call.topK;
    tiling.slots.topK = call.topK;
    tiling.slots.hidden = call.hidden;
    tiling.slots.rows = IsDropPad(call) ? call.experts * call.capacity : call.rows;
    if (call.hasScales) {
        const Ub ub = UbOf(call.dtype, call.hasBias, call.ubBytes);
        tiling.usedCores = slot_grad::CutSlots(ub, call.tokens, call.cores, &tiling.slots);
    } else {
        CutCopies(call, &tiling);
    }
    if (IsDropPad(call)) {
        CutZeros(call, &tiling);
    }
    return tiling;
}

}  // namespace

extern "C" int32_t MoeFinalizeRoutingV2GradTiling(const MoeFinalizeRoutingV2GradCall* call,
                                                  MoeFinalizeRoutingV2GradTilingData* tiling,
                                                  char* reason, uint64_t reasonBytes) {
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call);
    }
    return status;
}

namespace {

// Takes from `name` what leads it; returns whether it did.
inline bool TakePrefix(const std::string& prefix, std::string* name) {
    const bool leads = name->starts_with(prefix);
    name->erase(0, leads ? prefix.size() : 0);
    return leads;
}

}  // namespace

extern "C" int64_t MoeFinalizeRoutingV2GradTilingLimit(const char* axis, int64_t topK,
                                                       int32_t dtype, uint32_t cores,
                                                       uint64_t ubBytes, int64_t hidden) {
    std::string name = axis;
    const bool hasScales = !TakePrefix("no-scales-", &name);
    const bool hasBias = hasScales && TakePrefix("bias-", &name);
    if (name == "cores") {
        return cores;
    }
    const int64_t bytes = static_cast<int64_t>(ubBytes);
    const Ub ub = UbOf(dtype, hasBias, bytes);
    const int64_t least = hasScales ? ub.Least() : kLeastUbOfCopies;
    const bool known = topK >= 1 && (hasScales || topK == 1);
    if (name == "zeros") {
        return known && bytes >= least ? zero_fill::MostAtOnce(bytes, ElementBytes(dtype)) * cores
                                       : 0;
    }
    const int64_t limit = hasScales
                              ? slot_grad::SlotLimit(name, ub, known ? topK : 1, cores, hidden)
                              : slot_grad::CopyLimit(name, CopiesOf(dtype, bytes), cores, hidden);
    return known || limit < 0 ? limit : 0;
}
