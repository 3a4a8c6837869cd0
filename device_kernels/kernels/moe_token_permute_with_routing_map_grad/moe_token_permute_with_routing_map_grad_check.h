// The host tiling's checks: what CANN leaves undefined, and what does not fit the machine.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_CHECK_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_CHECK_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "moe_token_permute_with_routing_map_grad_tiling.h"
#include "moe_token_permute_with_routing_map_grad_ub.h"

namespace routing_map_grad {

constexpr int32_t kAccepted = 0;
constexpr int32_t kParameterInvalid = 161002;  // shapes that contradict each other
constexpr int32_t kTilingRejected = 561002;    // what neither the kernels nor the machine can do
constexpr int64_t kMostSortedTokens = int64_t{1} << 24;  // keys are exact in fp32 up to there
constexpr int64_t kMostRows = (int64_t{1} << 31) - 1;    // row numbers are int32

using Shape = MoeTokenPermuteWithRoutingMapGradShape;
using Call = MoeTokenPermuteWithRoutingMapGradCall;
using Reason = std::string;  // empty: nothing is wrong

inline bool IsGiven(const Shape& shape) { return shape.dims != nullptr; }

inline bool WantsProbs(const Call& call) {
    return IsGiven(call.permutedProbsOutputGrad) && IsGiven(call.probsGradOut);
}

inline Reason Broken(const std::string& parameter, const std::string& value,
                     const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeTokenPermuteWithRoutingMapGrad)";
}

inline Reason CheckRank(const char* parameter, const Shape& shape, uint64_t rank) {
    return shape.rank == rank ? Reason{}
                              : Broken(std::string("the rank of ") + parameter,
                                       std::to_string(shape.rank), std::to_string(rank));
}

inline Reason CheckDim(const char* parameter, const Shape& shape, int64_t axis, int64_t size,
                       const std::string& what) {
    return shape.dims[axis] == size
               ? Reason{}
               : Broken("dim " + std::to_string(axis) + " of " + parameter,
                        std::to_string(shape.dims[axis]), what + ", " + std::to_string(size));
}

// The first broken rule of a list of sentences.
inline Reason First(std::initializer_list<Reason> reasons) {
    const auto* found = std::find_if(reasons.begin(), reasons.end(),
                                     [](const Reason& reason) { return !reason.empty(); });
    return found == reasons.end() ? Reason{} : *found;
}

inline Reason CheckRows(const Call& call) {
    const int64_t rows = call.permutedTokenOutputGrad.dims[0];
    const std::string parameter = "dim 0 of permutedTokenOutputGrad";
    const bool pads = call.dropAndPad != 0;
    const int64_t sharers = pads ? call.numExperts : call.tokensNum;
    if (rows % sharers == 0) {
        return {};
    }
    return Broken(parameter, std::to_string(rows),
                  std::string("a multiple of ") + (pads ? "numExperts, " : "tokensNum, ") +
                      std::to_string(sharers) + ", where dropAndPad is " +
                      (pads ? "true" : "false"));
}

inline Reason CheckLimits(const Call& call) {
    const int64_t rows = call.permutedTokenOutputGrad.dims[0];
    const auto broken = [&](const std::string& rule) {
        return Broken("dim 0 of permutedTokenOutputGrad", std::to_string(rows), rule);
    };
    if (rows > kMostRows) {
        return broken("at most " + std::to_string(kMostRows));
    }
    if (call.dropAndPad != 0) {
        return call.tokensNum <= kMostSortedTokens
                   ? Reason{}
                   : Broken("tokensNum", std::to_string(call.tokensNum),
                            "at most " + std::to_string(kMostSortedTokens) +
                                " where dropAndPad is true");
    }
    return rows / call.tokensNum <= kMostTopK
               ? Reason{}
               : broken("at most " + std::to_string(kMostTopK) + " times tokensNum, " +
                        std::to_string(call.tokensNum) + ", where dropAndPad is false");
}

inline Reason CheckIndices(const Call& call) {
    if (Reason reason = CheckRank("sortedIndices", call.sortedIndices, 1); !reason.empty()) {
        return reason;
    }
    return CheckDim("sortedIndices", call.sortedIndices, 0, call.permutedTokenOutputGrad.dims[0],
                    "dim 0 of permutedTokenOutputGrad");
}

inline Reason CheckTokensGrad(const Call& call) {
    if (Reason reason = CheckRank("tokensGradOut", call.tokensGradOut, 2); !reason.empty()) {
        return reason;
    }
    return First(
        {CheckDim("tokensGradOut", call.tokensGradOut, 0, call.tokensNum, "tokensNum"),
         CheckDim("tokensGradOut", call.tokensGradOut, 1, call.permutedTokenOutputGrad.dims[1],
                  "dim 1 of permutedTokenOutputGrad")});
}

inline Reason CheckMap(const char* parameter, const Shape& shape, const Call& call) {
    if (Reason reason = CheckRank(parameter, shape, 2); !reason.empty()) {
        return reason;
    }
    return First({CheckDim(parameter, shape, 0, call.tokensNum, "tokensNum"),
                  CheckDim(parameter, shape, 1, call.numExperts, "numExperts")});
}

inline Reason CheckProbs(const Call& call) {
    if (!WantsProbs(call)) {
        return {};
    }
    return First(
        {CheckDim("permutedProbsOutputGradOptional", call.permutedProbsOutputGrad, 0,
                  call.permutedTokenOutputGrad.dims[0], "dim 0 of permutedTokenOutputGrad"),
         CheckMap("routingMapOptional", call.routingMap, call),
         CheckMap("probsGradOutOptional", call.probsGradOut, call)});
}

inline int64_t LeastUb(const Call& call) {
    const bool pads = call.dropAndPad != 0;
    const int64_t topK = call.permutedTokenOutputGrad.dims[0] / call.tokensNum;
    const int64_t nameBytes = pads ? kEntryBytes : topK * kIndexBytes;
    int64_t least = RowUb(call.ubBytes, call.dtype, nameBytes).Least();
    if (pads) {
        // One row of SCATTER takes less than one run.
        least = std::max(least, kLeastSortUb);
    } else if (WantsProbs(call)) {
        least = std::max(least, MaskUb(call.ubBytes, ElementBytes(call.dtype)).Least());
    }
    return least;
}

inline Reason CheckMachine(const Call& call) {
    const int64_t least = LeastUb(call);
    return call.ubBytes >= least
               ? Reason{}
               : Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                        std::to_string(least) + " bytes or more for this call");
}

inline Reason CheckShapes(const Call& call) {
    for (const auto check : {CheckRows, CheckIndices, CheckTokensGrad, CheckProbs}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

inline Reason CheckCapacity(const Call& call) {
    const Reason reason = CheckLimits(call);
    return reason.empty() ? CheckMachine(call) : reason;
}

}  // namespace routing_map_grad

#endif
