// The host's checks on calls of MoeFinalizeRoutingV2Grad: attributes, tensors that belong together,
// shapes.
#ifndef MOE_FINALIZE_ROUTING_V2_GRAD_CHECK_H
#define MOE_FINALIZE_ROUTING_V2_GRAD_CHECK_H

#include <cstdint>
#include <string>

#include "../shared/slots/slot_copy_check.h"
#include "moe_finalize_routing_v2_grad_tiling.h"

namespace moe_finalize_routing_v2_grad {

using Call = MoeFinalizeRoutingV2GradCall;
using List = SlotCopyList;
using slot_copy::Broken;
using slot_copy::Reason;

constexpr int64_t kDropPad = 1;

inline bool IsDropPad(const Call& call) { return call.dropPadMode == kDropPad; }

inline bool HasScales(const Call& call) { return call.hasScales != 0; }

// Without scales a bias changes nothing.
inline bool HasBias(const Call& call) { return HasScales(call) && call.hasBias != 0; }

// All below are read after the ranks were checked.
inline int64_t Tokens(const Call& call) { return call.gradY.values[0]; }

inline int64_t Hidden(const Call& call) { return call.gradY.values[1]; }

inline int64_t TopK(const Call& call) { return HasScales(call) ? call.scales.values[1] : 1; }

inline int64_t Slots(const Call& call) { return call.expandedRowIdx.values[0]; }

// The rows of expandedX, and of its gradient, where they are not the experts' places.
inline int64_t ActiveRows(const Call& call) {
    return call.activeNum > 0 && call.activeNum < Slots(call) ? call.activeNum : Slots(call);
}

inline Reason CheckAttributes(const Call& call) {
    if (call.dropPadMode != 0 && call.dropPadMode != kDropPad) {
        return Broken("dropPadMode", call.dropPadMode, "0 or 1");
    }
    if (!IsDropPad(call)) {
        return {};
    }
    if (call.expertNum < 1) {
        return Broken("expertNum", call.expertNum, "greater than 0 where dropPadMode is 1");
    }
    if (call.expertCapacity < 1) {
        return Broken("expertCapacity", call.expertCapacity,
                      "greater than 0 where dropPadMode is 1");
    }
    return {};
}

inline Reason CheckTensors(const Call& call) {
    if (HasScales(call) && call.hasExpandedX == 0) {
        return Broken("expandedXOptional", "null", "a tensor where scalesOptional is one");
    }
    if (HasBias(call) && call.hasExpertIdx == 0) {
        return Broken("expertIdxOptional", "null", "a tensor where biasOptional is one");
    }
    return {};
}

inline Reason CheckRanks(const Call& call) {
    const uint64_t ofRows = IsDropPad(call) ? 3 : 2;
    const std::string inMode = " where dropPadMode is " + std::to_string(call.dropPadMode);
    const struct {
        const char* name;
        const List& shape;
        uint64_t rank;
        bool isRead;
        std::string where = "";
    } tensors[] = {{"gradY", call.gradY, 2, true},
                   {"expandedRowIdx", call.expandedRowIdx, 1, true},
                   {"expandedXOptional", call.expandedX, ofRows, HasScales(call), inMode},
                   {"scalesOptional", call.scales, 2, HasScales(call)},
                   {"expertIdxOptional", call.expertIdx, 2, HasBias(call)},
                   {"biasOptional", call.bias, 2, HasBias(call)},
                   {"gradExpandedXOut", call.gradExpandedX, ofRows, true, inMode},
                   {"gradScalesOut", call.gradScales, 2, HasScales(call)}};
    for (const auto& [name, shape, rank, isRead, where] : tensors) {
        if (isRead && shape.count != rank) {
            return slot_copy::BrokenRank(name, shape, std::to_string(rank) + where);
        }
    }
    return {};
}

inline Reason CheckPositive(const Call& call) {
    const struct {
        const char* name;
        int64_t size;
        bool isRead;
    } sizes[] = {{"dim 0 of gradY", Tokens(call), true},
                 {"dim 1 of gradY", Hidden(call), true},
                 {"topK, dim 1 of scalesOptional,", TopK(call), HasScales(call)}};
    for (const auto& [name, size, isRead] : sizes) {
        if (isRead && size < 1) {
            return Broken(name, size, "greater than 0");
        }
    }
    return {};
}

inline Reason CheckSize(const std::string& name, int64_t size, int64_t expected,
                        const std::string& meaning) {
    return size == expected ? Reason{}
                            : Broken(name, size, meaning + ", " + std::to_string(expected));
}

inline Reason CheckSlots(const Call& call) {
    if (!HasScales(call)) {
        return CheckSize("dim 0 of expandedRowIdx", Slots(call), Tokens(call),
                         "dim 0 of gradY without scalesOptional");
    }
    // Compared without the product, which may be too large for an integer.
    const int64_t topK = TopK(call);
    if (Slots(call) % topK != 0 || Slots(call) / topK != Tokens(call)) {
        return Broken("dim 0 of expandedRowIdx", Slots(call),
                      "dim 0 of gradY times topK, " + std::to_string(Tokens(call)) + " * " +
                          std::to_string(topK));
    }
    return CheckSize("dim 0 of scalesOptional", call.scales.values[0], Tokens(call),
                     "dim 0 of gradY");
}

// Of expandedX or its gradient, in the form that dropPadMode gives them.
inline Reason CheckRows(const char* name, const List& shape, const Call& call) {
    const auto dim = [&](int axis) { return "dim " + std::to_string(axis) + " of " + name; };
    Reason reason;
    if (IsDropPad(call)) {
        reason = CheckSize(dim(0), shape.values[0], call.expertNum, "expertNum");
        if (reason.empty()) {
            reason = CheckSize(dim(1), shape.values[1], call.expertCapacity, "expertCapacity");
        }
    } else {
        const bool isActive = ActiveRows(call) != Slots(call);
        reason = CheckSize(dim(0), shape.values[0], ActiveRows(call),
                           isActive ? "activeNum" : "dim 0 of expandedRowIdx");
    }
    const int last = static_cast<int>(shape.count) - 1;
    return reason.empty() ? CheckSize(dim(last), shape.values[last], Hidden(call), "dim 1 of gradY")
                          : reason;
}

inline Reason CheckLikeScales(const char* name, const List& shape, const Call& call) {
    for (const int axis : {0, 1}) {
        const std::string of = "dim " + std::to_string(axis) + " of ";
        Reason reason = CheckSize(of + name, shape.values[axis], call.scales.values[axis],
                                  of + "scalesOptional");
        if (!reason.empty()) {
            return reason;
        }
    }
    return {};
}

inline Reason CheckBias(const Call& call) {
    Reason reason = CheckLikeScales("expertIdxOptional", call.expertIdx, call);
    if (reason.empty() && call.bias.values[0] < 1) {
        reason = Broken("dim 0 of biasOptional", call.bias.values[0], "greater than 0");
    }
    if (reason.empty() && IsDropPad(call)) {
        reason =
            CheckSize("dim 0 of biasOptional", call.bias.values[0], call.expertNum, "expertNum");
    }
    return reason.empty() ? CheckSize("dim 1 of biasOptional", call.bias.values[1], Hidden(call),
                                      "dim 1 of gradY")
                          : reason;
}

inline Reason CheckSizes(const Call& call) {
    Reason reason;
    if (HasScales(call)) {
        reason = CheckRows("expandedXOptional", call.expandedX, call);
    }
    if (reason.empty() && HasBias(call)) {
        reason = CheckBias(call);
    }
    if (reason.empty()) {
        reason = CheckRows("gradExpandedXOut", call.gradExpandedX, call);
    }
    if (reason.empty() && HasScales(call)) {
        reason = CheckLikeScales("gradScalesOut", call.gradScales, call);
    }
    return reason;
}

}  // namespace moe_finalize_routing_v2_grad

#endif
