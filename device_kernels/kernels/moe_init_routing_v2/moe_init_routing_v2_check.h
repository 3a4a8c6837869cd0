// The host's checks on calls of MoeInitRoutingV2, in CANN's order, one sentence for each broken
// rule.
#ifndef MOE_INIT_ROUTING_V2_CHECK_H
#define MOE_INIT_ROUTING_V2_CHECK_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "../shared/slots/slot_copy_check.h"
#include "moe_init_routing_v2_tiling.h"

namespace moe_init_routing_v2 {

using slot_copy::Broken;
using slot_copy::BrokenRank;
using slot_copy::kSlotsEnd;
using slot_copy::List;
using slot_copy::Reason;
using Call = MoeInitRoutingV2Call;

constexpr int64_t kMostRows = 1LL << 31;  // that an int32 can name

inline bool Pads(const Call& call) { return call.dropPadMode == 1; }

inline int64_t Slots(const Call& call) { return slot_copy::Slots(call.expertIdx); }

// The rows of the output: the places of all experts, or the first ranks.
inline int64_t OutRows(const Call& call) {
    if (Pads(call)) {
        return call.expertNum * call.expertCapacity;
    }
    return call.activeNum == 0 ? Slots(call) : std::min(call.activeNum, Slots(call));
}

// What expertTokensCountOrCumsumOut takes; with drop/pad nothing, whatever the flag says.
inline int64_t CountOrCumsum(const Call& call) { return Pads(call) ? 0 : call.countOrCumsumFlag; }

inline bool WantsBeforeCapacity(const Call& call) {
    return Pads(call) && call.beforeCapacityFlag != 0;
}

inline Reason CheckRank(const char* name, const List& shape, uint64_t rank,
                        const std::string& when = "") {
    return shape.count == rank ? Reason{} : BrokenRank(name, shape, std::to_string(rank) + when);
}

inline Reason CheckDim(const char* name, const List& shape, uint64_t axis, int64_t size,
                       const std::string& meaning) {
    return shape.values[axis] == size
               ? Reason{}
               : Broken("dim " + std::to_string(axis) + " of " + name, shape.values[axis],
                        meaning + ", " + std::to_string(size));
}

inline Reason CheckInputs(const Call& call) {
    Reason reason = CheckRank("x", call.x, 2);
    if (reason.empty()) {
        reason = CheckRank("expertIdx", call.expertIdx, 2);
    }
    return reason.empty() ? CheckDim("x", call.x, 0, call.expertIdx.values[0], "dim 0 of expertIdx")
                          : reason;
}

inline Reason CheckNumbers(const Call& call) {
    const std::string rule = "0 or greater";
    if (call.activeNum < 0) {
        return Broken("activeNum", call.activeNum, rule);
    }
    if (call.expertCapacity < 0) {
        return Broken("expertCapacity", call.expertCapacity, rule);
    }
    if (call.expertNum < 0) {
        return Broken("expertNum", call.expertNum, rule);
    }
    return call.dropPadMode == 0 || call.dropPadMode == 1
               ? Reason{}
               : Broken("dropPadMode", call.dropPadMode, "0 or 1");
}

inline Reason CheckPadding(const Call& call) {
    const std::string when = " where dropPadMode is 1";
    if (!Pads(call)) {
        return {};
    }
    if (call.expertNum == 0) {
        return Broken("expertNum", call.expertNum, "greater than 0" + when);
    }
    if (call.expertCapacity == 0) {
        return Broken("expertCapacity", call.expertCapacity, "greater than 0" + when);
    }
    if (call.expertCapacity > call.x.values[0]) {
        return Broken("expertCapacity", call.expertCapacity,
                      "at most dim 0 of x, " + std::to_string(call.x.values[0]) + "," + when);
    }
    return {};
}

inline Reason CheckFlags(const Call& call) {
    if (call.countOrCumsumFlag < 0 || call.countOrCumsumFlag > 2) {
        return Broken("expertTokensCountOrCumsumFlag", call.countOrCumsumFlag, "0, 1 or 2");
    }
    return call.countOrCumsumFlag > 0 && call.expertNum == 0
               ? Broken("expertNum", call.expertNum,
                        "greater than 0 where expertTokensCountOrCumsumFlag is 1 or 2")
               : Reason{};
}

// CANN has no such rules: positions are sorted as fp32, and rows are named by int32. Compared
// without products, which may be too large for an integer.
inline Reason CheckNames(const Call& call) {
    const int64_t topK = slot_copy::TopK(call.expertIdx);
    if (topK > 0 && call.expertIdx.values[0] > (kSlotsEnd - 1) / topK) {
        return Broken("the number of elements of expertIdx " + slot_copy::Text(call.expertIdx),
                      std::to_string(call.expertIdx.values[0]) + " * " + std::to_string(topK),
                      "less than " + std::to_string(kSlotsEnd));
    }
    if (Pads(call) && call.expertNum > kMostRows / call.expertCapacity) {
        return Broken(
            "expertNum * expertCapacity",
            std::to_string(call.expertNum) + " * " + std::to_string(call.expertCapacity),
            "at most 2^31 where dropPadMode is 1, as expandedRowIdxOut names rows by int32");
    }
    return {};
}

inline Reason CheckRows(const Call& call) {
    const char* name = "expandedXOut";
    const std::string when = std::string(" where dropPadMode is ") + (Pads(call) ? "1" : "0");
    const List& shape = call.expandedXOut;
    Reason reason = CheckRank(name, shape, Pads(call) ? 3 : 2, when);
    if (reason.empty() && Pads(call)) {
        reason = CheckDim(name, shape, 0, call.expertNum, "expertNum");
        if (reason.empty()) {
            reason = CheckDim(name, shape, 1, call.expertCapacity, "expertCapacity");
        }
    } else if (reason.empty()) {
        reason = CheckDim(name, shape, 0, OutRows(call),
                          "the number of ranks that activeNum " + std::to_string(call.activeNum) +
                              " keeps of " + std::to_string(Slots(call)));
    }
    return reason.empty() ? CheckDim(name, shape, shape.count - 1, call.x.values[1], "dim 1 of x")
                          : reason;
}

inline Reason CheckCounts(const char* name, const List& shape, bool isThere, bool isWanted,
                          const char* flag, const Call& call) {
    if (!isWanted) {
        return {};
    }
    if (!isThere) {
        return Broken(name, "null", std::string("a tensor where ") + flag + " asks for it");
    }
    return slot_copy::CheckVector(name, shape, call.expertNum, "expertNum");
}

inline Reason CheckOutputs(const Call& call) {
    Reason reason = CheckRows(call);
    if (reason.empty()) {
        reason = slot_copy::CheckVector("expandedRowIdxOut", call.expandedRowIdxOut, Slots(call),
                                        "the number of elements of expertIdx");
    }
    if (reason.empty()) {
        reason = CheckCounts("expertTokensCountOrCumsumOutOptional", call.countOrCumsumOut,
                             call.hasCountOrCumsumOut != 0, CountOrCumsum(call) != 0,
                             "expertTokensCountOrCumsumFlag", call);
    }
    return reason.empty()
               ? CheckCounts("expertTokensBeforeCapacityOutOptional", call.beforeCapacityOut,
                             call.hasBeforeCapacityOut != 0, WantsBeforeCapacity(call),
                             "expertTokensBeforeCapacityFlag", call)
               : reason;
}

// The first broken rule.
inline Reason Check(const Call& call) {
    for (const auto check :
         {CheckInputs, CheckNumbers, CheckPadding, CheckFlags, CheckNames, CheckOutputs}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return slot_copy::CheckSortUb(call.ubBytes);
}

}  // namespace moe_init_routing_v2

#endif
