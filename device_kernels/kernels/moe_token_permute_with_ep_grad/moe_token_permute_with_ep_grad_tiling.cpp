// Host tiling of MoeTokenPermuteWithEpGrad: the checks on attributes and shapes, then the cut.

#include "moe_token_permute_with_ep_grad_tiling.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"
#include "../shared/slots/slot_gather_cut.h"

namespace {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kMostTopK = 512;
constexpr int64_t kIndexBytes = 4;  // int32
constexpr int64_t kFp32 = 0;        // aclDataType

using List = MoeTokenPermuteWithEpGradList;
using Call = MoeTokenPermuteWithEpGradCall;
using Reason = std::string;  // empty: nothing is wrong

// Of fp32, fp16 or bf16.
int64_t BytesOf(int64_t aclDataType) { return aclDataType == kFp32 ? 4 : 2; }

row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t topK) {
    return {bytes, BytesOf(aclDataType), topK * kIndexBytes};
}

// Ranks [first, first + count), which the rows belong to.
struct Range {
    int64_t first;
    uint64_t count;
};

// Without ranks where it is absent, or does not end behind its start. So is one that ends below all
// int32, so that a rank's distance from the start fits 64 bits.
Range RangeOf(const Call& call) {
    if (call.hasRange == 0) {
        return {0, 0};
    }
    const int64_t start = call.range.values[0];
    const int64_t end = call.range.values[1];
    if (end <= start || end <= INT32_MIN) {
        return {0, 0};
    }
    return {start, static_cast<uint64_t>(end) - static_cast<uint64_t>(start)};
}

Reason Broken(const std::string& parameter, const std::string& value, const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeTokenPermuteWithEpGrad)";
}

Reason Broken(const std::string& parameter, int64_t value, const std::string& rule) {
    return Broken(parameter, std::to_string(value), rule);
}

Reason CheckRank(const char* parameter, const List& shape, uint64_t rank) {
    if (shape.count == rank) {
        return {};
    }
    return Broken(std::string("the rank of ") + parameter, static_cast<int64_t>(shape.count),
                  std::to_string(rank));
}

Reason CheckAttributes(const Call& call) {
    if (call.numTopk < 1 || call.numTopk > kMostTopK) {
        return Broken("numTopk", call.numTopk, "1 to " + std::to_string(kMostTopK));
    }
    if (call.hasRange != 0 && call.range.count != 2) {
        return Broken("the length of rangeOptional", static_cast<int64_t>(call.range.count), "2");
    }
    if (call.paddedMode != 0) {
        return Broken("paddedMode", "true", "false");
    }
    return {};
}

// Every rank in the range may be some slot's, so that each needs its row.
Reason CheckRows(const char* parameter, const Call& call, int64_t rows) {
    const uint64_t ranks = RangeOf(call).count;
    if (static_cast<uint64_t>(rows) >= ranks) {
        return {};
    }
    return Broken(std::string("dim 0 of ") + parameter, rows,
                  "the number of ranks in rangeOptional, " + std::to_string(ranks) + ", or more");
}

Reason CheckInputs(const Call& call) {
    Reason reason = CheckRank("permutedTokensOutputGrad", call.permutedTokensOutputGrad, 2);
    if (reason.empty()) {
        reason = CheckRank("sortedIndices", call.sortedIndices, 1);
    }
    if (reason.empty() && call.hasProbs != 0) {
        reason = CheckRank("permutedProbsOutputGradOptional", call.permutedProbsOutputGrad, 1);
    }
    if (reason.empty() && call.sortedIndices.values[0] % call.numTopk != 0) {
        reason = Broken("dim 0 of sortedIndices", call.sortedIndices.values[0],
                        "a multiple of numTopk, " + std::to_string(call.numTopk));
    }
    if (reason.empty()) {
        reason =
            CheckRows("permutedTokensOutputGrad", call, call.permutedTokensOutputGrad.values[0]);
    }
    if (reason.empty() && call.hasProbs != 0) {
        reason = CheckRows("permutedProbsOutputGradOptional", call,
                           call.permutedProbsOutputGrad.values[0]);
    }
    return reason;
}

int64_t Tokens(const Call& call) { return call.sortedIndices.values[0] / call.numTopk; }

Reason CheckTokenGrad(const Call& call) {
    if (Reason reason = CheckRank("tokenGradOut", call.tokenGrad, 2); !reason.empty()) {
        return reason;
    }
    const int64_t hidden = call.permutedTokensOutputGrad.values[1];
    if (call.tokenGrad.values[1] != hidden) {
        return Broken("dim 1 of tokenGradOut", call.tokenGrad.values[1],
                      "dim 1 of permutedTokensOutputGrad, " + std::to_string(hidden));
    }
    if (call.tokenGrad.values[0] != Tokens(call)) {
        return Broken("dim 0 of tokenGradOut", call.tokenGrad.values[0],
                      "dim 0 of sortedIndices divided by numTopk, " + std::to_string(Tokens(call)));
    }
    return {};
}

// Of the forward operator's probs: where a token has one slot they may have one dim.
Reason CheckProbsGrad(const Call& call) {
    if (call.hasProbs == 0) {
        return {};
    }
    const List& shape = call.probsGrad;
    if (shape.count != 2 && (shape.count != 1 || call.numTopk != 1)) {
        return Broken("the rank of probsGradOut", static_cast<int64_t>(shape.count),
                      call.numTopk == 1 ? "1 or 2" : "2");
    }
    if (shape.values[0] != Tokens(call)) {
        return Broken("dim 0 of probsGradOut", shape.values[0],
                      "dim 0 of sortedIndices divided by numTopk, " + std::to_string(Tokens(call)));
    }
    if (shape.count == 2 && shape.values[1] != call.numTopk) {
        return Broken("dim 1 of probsGradOut", shape.values[1],
                      "numTopk, " + std::to_string(call.numTopk));
    }
    return {};
}

Reason CheckMachine(const Call& call) {
    const int64_t least = UbOf(call.ubBytes, call.dtype, call.numTopk).Least();
    if (call.ubBytes < least) {
        return Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                      std::to_string(least) + " bytes or more for numTopk " +
                          std::to_string(call.numTopk) + " in this data type");
    }
    return {};
}

Reason Check(const Call& call) {
    for (const auto check :
         {CheckAttributes, CheckInputs, CheckTokenGrad, CheckProbsGrad, CheckMachine}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

MoeTokenPermuteWithEpGradTilingData Cut(const Call& call) {
    const int64_t tokens = Tokens(call);
    const int64_t used = std::min(tokens, call.cores);
    const int64_t slots = call.hasProbs == 0 ? 0 : call.sortedIndices.values[0];
    const Range range = RangeOf(call);
    return {call.dtype,
            used,
            call.numTopk,
            range.first,
            slot_gather::Cut(slots, used, call.ubBytes, BytesOf(call.dtype)),
            UbOf(call.ubBytes, call.dtype, call.numTopk)
                .Cut(tokens, call.tokenGrad.values[1], static_cast<int64_t>(range.count),
                     row_sum::CeilDiv(tokens, used))};
}

}  // namespace

extern "C" int32_t MoeTokenPermuteWithEpGradTiling(const MoeTokenPermuteWithEpGradCall* call,
                                                   MoeTokenPermuteWithEpGradTilingData* tiling,
                                                   char* reason, uint64_t reasonBytes) {
    const Reason broken = Check(*call);
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return kTilingRejected;
    }
    *tiling = Cut(*call);
    return kAccepted;
}

extern "C" int64_t MoeTokenPermuteWithEpGradTilingLimit(const char* axis, int64_t topK,
                                                        int32_t dtype, uint32_t cores,
                                                        uint64_t ubBytes, int64_t hidden) {
    const bool known = topK >= 1 && topK <= kMostTopK;
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, known ? topK : 1);
    const std::string name = axis;
    if (name == "cores") {
        return cores;
    }
    if (name == "probs-batch" || name == "probs") {
        const int64_t slots = slot_gather::MostSlots(ub.bytes, ub.elementBytes);
        return known && ub.bytes >= ub.Least() ? slots * (name == "probs" ? cores : 1) : 0;
    }
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
