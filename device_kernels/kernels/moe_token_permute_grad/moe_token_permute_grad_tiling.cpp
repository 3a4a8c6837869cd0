// Host tiling of MoeTokenPermuteGrad: the checks on shapes and attributes, then the cut.

#include "moe_token_permute_grad_tiling.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "../shared/rows/row_sum_cut.h"
#include "../shared/rows/row_sum_limits.h"

namespace {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kMostTopK = 512;
constexpr int64_t kIndexBytes = 4;  // int32

using Shape = MoeTokenPermuteGradShape;
using Call = MoeTokenPermuteGradCall;
using Reason = std::string;  // empty: nothing is wrong

struct DataType {
    int64_t key;
    int64_t bytes;
};

// Of fp32 (0), fp16 (1) or bf16 (27).
DataType DataTypeOf(int64_t aclDataType) {
    switch (aclDataType) {
        case 0:
            return {4, 4};
        case 1:
            return {2, 2};
        default:
            return {0, 2};
    }
}

row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t topK) {
    return {bytes, DataTypeOf(aclDataType).bytes, topK * kIndexBytes};
}

Reason Broken(const std::string& parameter, const std::string& value, const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeTokenPermuteGrad)";
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

Reason CheckInputs(const Call& call) {
    Reason reason = CheckRank("permutedOutputGrad", call.permutedOutputGrad, 2);
    if (reason.empty()) {
        reason = CheckRank("sortedIndices", call.sortedIndices, 1);
    }
    if (reason.empty() && (call.numTopk < 1 || call.numTopk > kMostTopK)) {
        reason = Broken("numTopk", call.numTopk, "1 to " + std::to_string(kMostTopK));
    }
    if (reason.empty() && call.sortedIndices.dims[0] % call.numTopk != 0) {
        reason = Broken("dim 0 of sortedIndices", call.sortedIndices.dims[0],
                        "a multiple of numTopk, " + std::to_string(call.numTopk));
    }
    return reason;
}

Reason CheckOut(const Call& call) {
    Reason reason = CheckRank("out", call.out, 2);
    if (!reason.empty()) {
        return reason;
    }
    const int64_t hidden = call.permutedOutputGrad.dims[1];
    if (call.out.dims[1] != hidden) {
        return Broken("dim 1 of out", call.out.dims[1],
                      "dim 1 of permutedOutputGrad, " + std::to_string(hidden));
    }
    const int64_t tokens = call.sortedIndices.dims[0] / call.numTopk;
    if (call.out.dims[0] != tokens) {
        return Broken("dim 0 of out", call.out.dims[0],
                      "dim 0 of sortedIndices divided by numTopk, " + std::to_string(tokens));
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
    for (const auto check : {CheckInputs, CheckOut, CheckMachine}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

MoeTokenPermuteGradTilingData Cut(const Call& call) {
    const int64_t tokens = call.out.dims[0];
    const int64_t used = std::min(tokens, call.cores);
    const row_sum::Ub ub = UbOf(call.ubBytes, call.dtype, call.numTopk);
    return {DataTypeOf(call.dtype).key, used, call.numTopk,
            ub.Cut(tokens, call.out.dims[1], call.permutedOutputGrad.dims[0],
                   row_sum::CeilDiv(tokens, used))};
}

}  // namespace

extern "C" int32_t MoeTokenPermuteGradTiling(const MoeTokenPermuteGradCall* call,
                                             MoeTokenPermuteGradTilingData* tiling, char* reason,
                                             uint64_t reasonBytes) {
    const Reason broken = Check(*call);
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return kTilingRejected;
    }
    *tiling = Cut(*call);
    return kAccepted;
}

extern "C" int64_t MoeTokenPermuteGradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                  uint32_t cores, uint64_t ubBytes,
                                                  int64_t hidden) {
    const bool known = topK >= 1 && topK <= kMostTopK;
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, known ? topK : 1);
    const std::string name = axis;
    if (name == "cores") {
        return cores;
    }
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}
