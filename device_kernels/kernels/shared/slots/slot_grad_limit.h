// The sizes at which gradients of slots are cut otherwise: what tiling libraries export, and no
// call reads.
#ifndef SLOT_GRAD_LIMIT_H
#define SLOT_GRAD_LIMIT_H

#include <cstdint>
#include <string>

#include "slot_copy_cut.h"
#include "slot_grad_cut.h"

namespace slot_grad {

constexpr int64_t kUnknownAxis = -1;

// Of rows that are copied, each to one place, and of which nothing else is asked: "ub-bytes",
// "hidden", "batch", "tokens".
inline int64_t CopyLimit(const std::string& axis, const slot_copy::CopyBytes& bytes, int64_t cores,
                         int64_t hidden) {
    if (axis == "ub-bytes") {
        return kLeastUbOfCopies;
    }
    if (axis != "hidden" && axis != "batch" && axis != "tokens") {
        return kUnknownAxis;
    }
    if (bytes.ub < kLeastUbOfCopies) {
        return 0;
    }
    if (axis == "hidden") {
        return bytes.MostColumns();
    }
    return bytes.Cut(hidden).tokensPerBatch * (axis == "batch" ? 1 : cores);
}

// Of rows with weights: "ub-bytes", "part", "hidden", "batch", "tokens".
inline int64_t SlotLimit(const std::string& axis, const Ub& ub, int64_t topK, int64_t cores,
                         int64_t hidden) {
    if (axis == "ub-bytes") {
        return ub.Least();
    }
    if (axis != "part" && axis != "hidden" && axis != "batch" && axis != "tokens") {
        return kUnknownAxis;
    }
    if (ub.bytes < ub.Least()) {
        return 0;
    }
    if (axis == "part") {
        return ub.MostOfPart();
    }
    if (axis == "hidden") {
        return ub.MostColumns(topK);
    }
    const int64_t batch = ub.SlotsOfBatch(topK, hidden);
    if (axis == "batch") {
        return batch;
    }
    return batch < topK ? batch * cores / topK : batch / topK * cores;
}

}  // namespace slot_grad

#endif
