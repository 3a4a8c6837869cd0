// Operands of functions that work on rows: some elements of each, and what lies behind them.
#pragma once

#include <cstdint>
#include <vector>

#include "../tensors/pieces.h"
#include "../tensors/vector_operand.h"

namespace ascendsim {

// `count` rows, `pitch` elements apart, of which the first `used` matter; then rows of padding.
struct Rows {
    uint32_t count;
    uint32_t used;
    uint32_t pitch;
    uint32_t padding = 0;

    std::vector<Piece> Used() const { return Part(0, used); }
    std::vector<Piece> Rest() const {
        std::vector<Piece> pieces = Part(used, pitch - used);
        if (padding != 0) {
            pieces.push_back({int64_t{count} * pitch, uint64_t{padding} * pitch});
        }
        return pieces;
    }

private:
    std::vector<Piece> Part(uint32_t first, uint32_t length) const {
        std::vector<Piece> pieces;
        for (uint32_t row = 0; row < count && length != 0; ++row) {
            pieces.push_back({int64_t{row} * pitch + first, length});
        }
        return pieces;
    }
};

// Bytes of UB from the first row to the end of the padding.
template <typename T>
uint64_t BytesOf(const Rows& rows) {
    return (uint64_t{rows.count} + rows.padding) * rows.pitch * sizeof(T);
}

// The same pieces as a result, whose place is all that matters: nothing useful is left there.
template <typename T>
T* Written(const AscendC::LocalTensor<T>& tensor, const std::vector<Piece>& pieces,
           const VectorCall& call) {
    if (pieces.empty()) {
        return nullptr;
    }
    return VectorOperand(tensor, pieces, call);
}

// Working space that a call was given, all of it; null: it takes its own from the rest of UB.
inline void ClobberSpace(const AscendC::LocalTensor<uint8_t>* space, const VectorCall& call) {
    if (space != nullptr) {
        [[maybe_unused]] const uint8_t* used = Clobbered(*space, space->GetSize(), call);
    }
}
inline void LeaveSpaceUndefined(const AscendC::LocalTensor<uint8_t>* space,
                                const VectorCall& call) {
    if (space != nullptr) {
        LeaveUndefined(*space, space->GetSize(), 0, 0, call);
    }
}
// Requires that an operand lies apart from it.
template <typename T>
void CheckSpaceApart(const AscendC::LocalTensor<uint8_t>* space,
                     const AscendC::LocalTensor<T>& operand, uint64_t bytes,
                     const VectorCall& call) {
    if (space != nullptr) {
        CheckApart(*space, space->GetSize(), operand.UbAddress(), bytes, call);
    }
}

// What a finished call has left where no used element is.
template <typename T>
void LeaveRestUndefined(const AscendC::LocalTensor<T>& tensor, const Rows& rows,
                        const VectorCall& call) {
    for (const Piece& rest : rows.Rest()) {
        LeaveUndefined(tensor[PlacedIndex(rest.first, call.where)], rest.count, 0, 0, call);
    }
}

// Operands that may be one, but not overlap in part.
template <typename T, typename U>
void CheckSameOrApart(const AscendC::LocalTensor<T>& dst, uint64_t dstBytes,
                      const AscendC::LocalTensor<U>& src, uint64_t srcBytes,
                      const VectorCall& call) {
    if (dst.UbAddress() != src.UbAddress()) {
        CheckApart(dst, dstBytes, src.UbAddress(), srcBytes, call);
    }
}

}  // namespace ascendsim
