// The host tiling's checks, in CANN's order: first the rules of CANN's interface, then those of its
// tiling and of the machine.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_CHECK_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_CHECK_H

#include <cstdint>
#include <limits>
#include <string>

#include "../shared/slots/slot_shape_check.h"
#include "moe_token_permute_with_routing_map_tiling.h"

namespace routing_map_permute {

using slot_copy::Broken;
using slot_copy::BrokenRank;
using slot_copy::kMostTopK;
using slot_copy::kSlotsEnd;
using slot_copy::List;
using slot_copy::Reason;
using slot_copy::Text;

using Call = MoeTokenPermuteWithRoutingMapCall;

constexpr int32_t kParameterInvalid = 161002;
constexpr int64_t kSizeEnd = 16777215;  // of tokens, and of experts

inline bool HasProbs(const Call& call) { return call.probs.values != nullptr; }

// Read after the rank of the map was checked.
inline int64_t Tokens(const Call& call) { return call.routingMap.values[0]; }
inline int64_t Experts(const Call& call) { return call.routingMap.values[1]; }

// What numOutTokens gives each of `sharers`: 0 where there are none.
inline int64_t Each(const Call& call, int64_t sharers) {
    return sharers > 0 ? call.numOutTokens / sharers : 0;
}

inline int64_t TopK(const Call& call) { return Each(call, Tokens(call)); }

inline int64_t Capacity(const Call& call) {
    return call.dropAndPad != 0 ? Each(call, Experts(call)) : 0;
}

inline int64_t OutRows(const Call& call) {
    return call.dropAndPad != 0 ? Capacity(call) * Experts(call) : TopK(call) * Tokens(call);
}

inline Reason CheckRanks(const Call& call) {
    if (call.routingMap.count != 2) {
        return BrokenRank("routingMap", call.routingMap, "2");
    }
    return HasProbs(call) && call.probs.count != 2 ? BrokenRank("probsOptional", call.probs, "2")
                                                   : Reason{};
}

inline Reason CheckNumber(const Call& call) {
    int64_t places = 0;
    if (__builtin_mul_overflow(Tokens(call), Experts(call), &places)) {
        places = std::numeric_limits<int64_t>::max();
    }
    return call.numOutTokens >= 0 && call.numOutTokens <= places
               ? Reason{}
               : Broken("numOutTokens", call.numOutTokens,
                        "0 to the number of elements of routingMap " + Text(call.routingMap));
}

inline Reason CheckOutputs(const Call& call) {
    const int64_t rows = OutRows(call);
    const std::string meaning = "numOutTokens, " + std::to_string(call.numOutTokens) +
                                ", rounded down to a multiple of " +
                                (call.dropAndPad != 0 ? "the experts" : "the tokens");
    if (call.permuteTokensOut.count < 2) {
        return BrokenRank("permuteTokensOut", call.permuteTokensOut, "2 or greater");
    }
    if (call.permuteTokensOut.values[0] != rows) {
        return Broken("dim 0 of permuteTokensOut", call.permuteTokensOut.values[0],
                      meaning + ", " + std::to_string(rows));
    }
    Reason reason;
    if (HasProbs(call)) {
        reason =
            slot_copy::CheckVector("permuteProbsOutOptional", call.permuteProbsOut, rows, meaning);
    }
    return reason.empty()
               ? slot_copy::CheckVector("sortedIndicesOut", call.sortedIndicesOut, rows, meaning)
               : reason;
}

inline Reason CheckSizes(const Call& call) {
    for (const int64_t axis : {0, 1}) {
        if (call.routingMap.values[axis] >= kSizeEnd) {
            return Broken("dim " + std::to_string(axis) + " of routingMap",
                          call.routingMap.values[axis], "less than " + std::to_string(kSizeEnd));
        }
    }
    return {};
}

// Whether CANN ends the call here, well and with nothing written.
inline bool IsEmpty(const Call& call) {
    return Tokens(call) == 0 || Experts(call) == 0 || call.permuteTokensOut.values[0] == 0 ||
           slot_copy::Columns(call.permuteTokensOut) == 0;
}

inline Reason CheckTokens(const Call& call) {
    if (Reason reason = slot_copy::CheckTokens(call.tokens); !reason.empty()) {
        return reason;
    }
    if (call.tokens.values[0] != Tokens(call)) {
        return Broken("dim 0 of tokens", call.tokens.values[0],
                      "dim 0 of routingMap, " + std::to_string(Tokens(call)));
    }
    return slot_copy::CheckColumns(call.permuteTokensOut, call.tokens);
}

inline Reason CheckSlots(const Call& call) {
    const int64_t topK = TopK(call);
    const std::string value =
        std::to_string(call.numOutTokens) + " for " + std::to_string(Tokens(call)) + " tokens";
    if (topK > kMostTopK) {
        return Broken("numOutTokens", value,
                      "at most " + std::to_string(kMostTopK) + " to a token");
    }
    // Both factors are small by now.
    return topK * Tokens(call) < kSlotsEnd
               ? Reason{}
               : Broken("numOutTokens", value,
                        "less than " + std::to_string(kSlotsEnd) +
                            " when rounded down to a multiple of the tokens");
}

inline Reason CheckProbs(const Call& call) {
    if (HasProbs(call)) {
        for (const int64_t axis : {0, 1}) {
            if (call.probs.values[axis] != call.routingMap.values[axis]) {
                return Broken(
                    "dim " + std::to_string(axis) + " of probsOptional", call.probs.values[axis],
                    "that of routingMap, " + std::to_string(call.routingMap.values[axis]));
            }
        }
    }
    return {};
}

inline Reason CheckInterface(const Call& call) {
    for (const auto check : {CheckRanks, CheckNumber, CheckOutputs, CheckSizes}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

inline Reason CheckCapacity(const Call& call) {
    for (const auto check : {CheckTokens, CheckSlots, CheckProbs}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return slot_copy::CheckSortUb(call.ubBytes);
}

}  // namespace routing_map_permute

#endif
