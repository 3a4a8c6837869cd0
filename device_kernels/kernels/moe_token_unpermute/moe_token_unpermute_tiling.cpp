// Host tiling of MoeTokenUnpermute: the checks on shapes, then the cut.

#include "moe_token_unpermute_tiling.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "../shared/routing_map/probs_limit.h"
#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"

namespace {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kMostTopK = 512;
constexpr int64_t kIndexBytes = 4;  // int32
constexpr int64_t kFp32 = 0;        // aclDataType
constexpr int64_t kNoProbs = -1;

using Shape = MoeTokenUnpermuteShape;
using Call = MoeTokenUnpermuteCall;
using Reason = std::string;  // empty: nothing is wrong

// Of fp32, fp16 or bf16, or of probs that are not there.
int64_t BytesOf(int64_t aclDataType) {
    return aclDataType == kNoProbs ? 0 : aclDataType == kFp32 ? 4 : 2;
}

row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t probsBytes, int64_t topK) {
    return {bytes, BytesOf(aclDataType), topK * kIndexBytes, topK * probsBytes};
}

bool HasProbs(const Call& call) { return call.probsDtype != kNoProbs; }

// Read after the rank of the probs was checked.
int64_t TopK(const Call& call) { return HasProbs(call) ? call.probs.dims[1] : 1; }

row_sum::Ub UbOf(const Call& call) {
    return UbOf(call.ubBytes, call.dtype, BytesOf(call.probsDtype), TopK(call));
}

Reason Broken(const std::string& parameter, const std::string& value, const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeTokenUnpermute)";
}

Reason Broken(const std::string& parameter, int64_t value, const std::string& rule) {
    return Broken(parameter, std::to_string(value), rule);
}

Reason CheckRank(const char* parameter, const Shape& shape, uint64_t rank) {
    if (shape.rank == rank) {
        return {};
    }
    return Broken(std::string("the rank of ") + parameter, static_cast<int64_t>(shape.rank),
                  std::to_string(rank));
}

Reason CheckProbs(const Call& call) {
    if (!HasProbs(call)) {
        return {};
    }
    if (Reason reason = CheckRank("probsOptional", call.probs, 2); !reason.empty()) {
        return reason;
    }
    const int64_t topK = TopK(call);
    if (topK < 1 || topK > kMostTopK) {
        return Broken("topK, dim 1 of probsOptional,", topK, "1 to " + std::to_string(kMostTopK));
    }
    const int64_t slots = call.sortedIndices.dims[0];
    // Compared without the product, which may be too large for an integer.
    if (slots % topK != 0 || slots / topK != call.probs.dims[0]) {
        return Broken("dim 0 of sortedIndices", slots,
                      "the number of elements of probsOptional, " +
                          std::to_string(call.probs.dims[0]) + " * " + std::to_string(topK));
    }
    return {};
}

Reason CheckInputs(const Call& call) {
    Reason reason = CheckRank("permutedTokens", call.permutedTokens, 2);
    if (reason.empty()) {
        reason = CheckRank("sortedIndices", call.sortedIndices, 1);
    }
    return reason.empty() ? CheckProbs(call) : reason;
}

Reason CheckOut(const Call& call) {
    if (Reason reason = CheckRank("out", call.out, 2); !reason.empty()) {
        return reason;
    }
    const int64_t hidden = call.permutedTokens.dims[1];
    if (call.out.dims[1] != hidden) {
        return Broken("dim 1 of out", call.out.dims[1],
                      "dim 1 of permutedTokens, " + std::to_string(hidden));
    }
    const int64_t tokens = call.sortedIndices.dims[0] / TopK(call);
    if (call.out.dims[0] != tokens) {
        return Broken(
            "dim 0 of out", call.out.dims[0],
            std::string(HasProbs(call) ? "dim 0 of probsOptional, "
                                       : "dim 0 of sortedIndices without probsOptional, ") +
                std::to_string(tokens));
    }
    return {};
}

Reason CheckMachine(const Call& call) {
    const int64_t least = UbOf(call).Least();
    if (call.ubBytes < least) {
        return Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                      std::to_string(least) + " bytes or more for topK " +
                          std::to_string(TopK(call)) + " in these data types");
    }
    return {};
}

Reason Check(const Call& call) {
    for (const auto check : {CheckInputs, CheckOut, CheckMachine}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

MoeTokenUnpermuteTilingData Cut(const Call& call) {
    const int64_t tokens = call.out.dims[0];
    const int64_t used = std::min(tokens, call.cores);
    return {call.dtype, call.probsDtype, used, TopK(call),
            UbOf(call).Cut(tokens, call.out.dims[1], call.permutedTokens.dims[0],
                           row_sum::CeilDiv(tokens, used))};
}

}  // namespace

extern "C" int32_t MoeTokenUnpermuteTiling(const MoeTokenUnpermuteCall* call,
                                           MoeTokenUnpermuteTilingData* tiling, char* reason,
                                           uint64_t reasonBytes) {
    const Reason broken = Check(*call);
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return kTilingRejected;
    }
    *tiling = Cut(*call);
    return kAccepted;
}

extern "C" int64_t MoeTokenUnpermuteTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                uint32_t cores, uint64_t ubBytes, int64_t hidden) {
    std::string name = axis;
    const int64_t probsBytes = probs_limit::TakeProbsBytes(&name, BytesOf(dtype));
    if (name == "cores") {
        return cores;
    }
    const bool known = topK >= 1 && topK <= (probsBytes == 0 ? 1 : kMostTopK);
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, probsBytes, known ? topK : 1);
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
