// Host tiling of MoeFinalizeRoutingV2: the checks on mode and shapes, then the cut.

#include "moe_finalize_routing_v2_tiling.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "moe_finalize_routing_v2_ub.h"

namespace {

using moe_finalize_routing_v2::Ub;

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kMostMode = 3;
constexpr int64_t kFirstTokenMajorMode = 2;
constexpr int64_t kFp32 = 0;  // aclDataType
constexpr int64_t kNoScales = -1;

using Shape = MoeFinalizeRoutingV2Shape;
using Call = MoeFinalizeRoutingV2Call;
using Reason = std::string;  // empty: nothing is wrong

// Of fp32, fp16 or bf16, or of scales that are not there.
int64_t BytesOf(int64_t aclDataType) {
    return aclDataType == kNoScales ? 0 : aclDataType == kFp32 ? 4 : 2;
}

bool HasScales(const Call& call) { return call.scalesDtype != kNoScales; }

bool IsSlotMajor(const Call& call) { return call.dropPadMode < kFirstTokenMajorMode; }

// Modes 1 and 3 have a row for each place of each expert: expandedX is [experts, capacity, hidden].
bool IsPadded(const Call& call) { return call.dropPadMode % 2 == 1; }

// These are read after the ranks were checked.
int64_t TopK(const Call& call) { return HasScales(call) ? call.scales.dims[1] : 1; }
int64_t Tokens(const Call& call) { return call.out.dims[0]; }
int64_t Hidden(const Call& call) { return call.out.dims[1]; }

int64_t SourceRows(const Call& call) {
    const int64_t* dims = call.expandedX.dims;
    return IsPadded(call) ? dims[0] * dims[1] : dims[0];
}

Ub UbOf(const Call& call) {
    return {call.ubBytes, BytesOf(call.dtype), BytesOf(call.scalesDtype), call.hasBias == 1,
            IsSlotMajor(call)};
}

Reason Broken(const std::string& parameter, const std::string& value, const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeFinalizeRoutingV2)";
}

Reason Broken(const std::string& parameter, int64_t value, const std::string& rule) {
    return Broken(parameter, std::to_string(value), rule);
}

Reason CheckRank(const char* parameter, const Shape& shape, uint64_t rank,
                 const std::string& why = {}) {
    if (shape.rank == rank) {
        return {};
    }
    return Broken(std::string("the rank of ") + parameter, static_cast<int64_t>(shape.rank),
                  std::to_string(rank) + why);
}

Reason CheckDim(const char* parameter, const Shape& shape, int axis, int64_t expected,
                const char* what) {
    if (shape.dims[axis] == expected) {
        return {};
    }
    return Broken("dim " + std::to_string(axis) + " of " + parameter, shape.dims[axis],
                  std::string(what) + ", " + std::to_string(expected));
}

Reason FirstOf(std::initializer_list<Reason> reasons) {
    for (const Reason& reason : reasons) {
        if (!reason.empty()) {
            return reason;
        }
    }
    return {};
}

Reason CheckMode(const Call& call) {
    if (call.dropPadMode < 0 || call.dropPadMode > kMostMode) {
        return Broken("dropPadMode", call.dropPadMode, "0 to " + std::to_string(kMostMode));
    }
    return {};
}

Reason CheckRanks(const Call& call) {
    const std::string mode = " for dropPadMode " + std::to_string(call.dropPadMode);
    return FirstOf({CheckRank("expandedX", call.expandedX, IsPadded(call) ? 3 : 2, mode),
                    CheckRank("expandedRowIdx", call.expandedRowIdx, 1),
                    CheckRank("out", call.out, 2)});
}

Reason CheckHidden(const Call& call) {
    const int last = IsPadded(call) ? 2 : 1;
    return CheckDim("expandedX", call.expandedX, last, Hidden(call), "dim 1 of out");
}

Reason CheckScales(const Call& call) {
    if (!HasScales(call)) {
        return {};
    }
    if (Reason reason = CheckRank("scalesOptional", call.scales, 2); !reason.empty()) {
        return reason;
    }
    if (TopK(call) < 1) {
        return Broken("topK, dim 1 of scalesOptional,", TopK(call), "1 or more");
    }
    return CheckDim("scalesOptional", call.scales, 0, Tokens(call), "dim 0 of out");
}

Reason CheckIndices(const Call& call) {
    const int64_t slots = call.expandedRowIdx.dims[0];
    const int64_t topK = TopK(call);
    // Compared without the product, which may be too large for an integer.
    if (slots % topK == 0 && slots / topK == Tokens(call)) {
        return {};
    }
    const std::string product = std::to_string(Tokens(call)) + " * " + std::to_string(topK);
    return Broken("dim 0 of expandedRowIdx", slots,
                  HasScales(call)
                      ? "the number of elements of scalesOptional, " + product
                      : "dim 0 of out without scalesOptional, " + std::to_string(Tokens(call)));
}

Reason CheckAddend(const char* parameter, const Shape& shape, const Call& call) {
    if (Reason reason = CheckRank(parameter, shape, 2); !reason.empty()) {
        return reason;
    }
    return FirstOf({CheckDim(parameter, shape, 0, Tokens(call), "dim 0 of out"),
                    CheckDim(parameter, shape, 1, Hidden(call), "dim 1 of out")});
}

Reason CheckAddends(const Call& call) {
    if (call.hasX2 && !call.hasX1) {
        return Broken("x1Optional", "null", "a tensor where x2Optional is one");
    }
    Reason reason = call.hasX1 ? CheckAddend("x1Optional", call.x1, call) : Reason();
    if (reason.empty() && call.hasX2) {
        reason = CheckAddend("x2Optional", call.x2, call);
    }
    return reason;
}

Reason CheckExperts(const Call& call) {
    if (!call.hasExpertIdx) {
        return call.hasBias
                   ? Broken("expertIdxOptional", "null", "a tensor where biasOptional is one")
                   : Reason();
    }
    if (Reason reason = CheckRank("expertIdxOptional", call.expertIdx, 2); !reason.empty()) {
        return reason;
    }
    return FirstOf(
        {CheckDim("expertIdxOptional", call.expertIdx, 0, Tokens(call), "dim 0 of out"),
         CheckDim("expertIdxOptional", call.expertIdx, 1, TopK(call),
                  HasScales(call) ? "dim 1 of scalesOptional" : "1 without scalesOptional")});
}

Reason CheckBias(const Call& call) {
    if (!call.hasBias) {
        return {};
    }
    if (Reason reason = CheckRank("biasOptional", call.bias, 2); !reason.empty()) {
        return reason;
    }
    // topK is at least 1, so that a bias of no expert is refused here, too.
    if (call.bias.dims[0] < TopK(call)) {
        return Broken("dim 0 of biasOptional", call.bias.dims[0],
                      "topK, " + std::to_string(TopK(call)) + ", or more");
    }
    return CheckDim("biasOptional", call.bias, 1, Hidden(call), "dim 1 of out");
}

Reason CheckMachine(const Call& call) {
    const int64_t least = UbOf(call).Least();
    if (call.ubBytes < least) {
        return Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                      std::to_string(least) + " bytes or more in these data types");
    }
    return {};
}

Reason Check(const Call& call) {
    for (const auto check : {CheckMode, CheckRanks, CheckHidden, CheckScales, CheckIndices,
                             CheckAddends, CheckExperts, CheckBias, CheckMachine}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

MoeFinalizeRoutingV2TilingData Cut(const Call& call) {
    const Ub ub = UbOf(call);
    const int64_t used = std::min(Tokens(call), call.cores);
    return {call.dtype,
            call.scalesDtype,
            used,
            TopK(call),
            ub.SlotsPerPart(TopK(call)),
            IsSlotMajor(call) ? 1 : 0,
            call.hasX1,
            call.hasX2,
            call.hasBias ? call.bias.dims[0] : 0,
            ub.Cut(Tokens(call), Hidden(call), SourceRows(call), TopK(call),
                   row_sum::CeilDiv(Tokens(call), used))};
}

bool Take(std::string* axis, const std::string& prefix) {
    const bool isLed = axis->starts_with(prefix);
    axis->erase(0, isLed ? prefix.size() : 0);
    return isLed;
}

}  // namespace

extern "C" int32_t MoeFinalizeRoutingV2Tiling(const MoeFinalizeRoutingV2Call* call,
                                              MoeFinalizeRoutingV2TilingData* tiling, char* reason,
                                              uint64_t reasonBytes) {
    const Reason broken = Check(*call);
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return kTilingRejected;
    }
    *tiling = Cut(*call);
    return kAccepted;
}

extern "C" int64_t MoeFinalizeRoutingV2TilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                   uint32_t cores, uint64_t ubBytes,
                                                   int64_t hidden) {
    std::string name = axis;
    Ub ub{static_cast<int64_t>(ubBytes), BytesOf(dtype), BytesOf(dtype), false, true};
    ub.isSlotMajor = !Take(&name, "token-major-");
    ub.hasBias = Take(&name, "bias-");
    const bool hasScales = !Take(&name, "no-scales-");
    if (!hasScales) {
        ub.scaleBytes = 0;
    } else if (Take(&name, "fp32-scales-")) {
        ub.scaleBytes = BytesOf(kFp32);
    }
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && (hasScales || topK == 1);
    const int64_t limit = moe_finalize_routing_v2::Limit(name, ub, known ? topK : 1, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
