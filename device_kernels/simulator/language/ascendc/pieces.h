// Operands that lie in pieces: a few elements here, a few there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../engine/definedness.h"
#include "vector_operand.h"

namespace ascendsim {

// Consecutive elements of a tensor.
struct Piece {
    int64_t first;
    uint64_t count;
};

// The pieces of one operand, each inside the tensor's buffer; see VectorElements.
template <typename T>
class PieceElements {
public:
    PieceElements(const AscendC::LocalTensor<T>& tensor, const std::vector<Piece>& pieces,
                  const VectorCall& call, uint32_t alignment)
        : elements_(PlacedOperand(tensor, 0, call, alignment)),
          ubAddress_(tensor.UbAddress()),
          pieces_(pieces),
          call_(call) {
        for (const Piece& piece : pieces) {
            tensor.Elements(piece.first, piece.count, call.name, "V", call.where);
        }
    }
    operator T*() const { return Declared(Access::Write); }
    operator const T*() const { return Declared(Access::Read); }

    PieceElements InUnits(uint64_t bytes) const {
        PieceElements units = *this;
        units.unit_ = bytes == 0 ? 1 : static_cast<uint32_t>(bytes);
        return units;
    }

private:
    T* Declared(Access access) const {
        if constexpr (kChecksAll) {
            DeclareOperand(access, unit_);
            for (const Piece& piece : pieces_) {
                DeclarePiece(ubAddress_ + static_cast<uint64_t>(piece.first) * sizeof(T),
                             piece.count * sizeof(T), call_.AsDoer());
            }
        }
        return elements_;
    }

    T* const elements_;
    const uint64_t ubAddress_;
    const std::vector<Piece>& pieces_;
    const VectorCall& call_;
    uint32_t unit_ = sizeof(T);  // bytes
};

template <typename T>
PieceElements<T> VectorOperand(const AscendC::LocalTensor<T>& tensor,
                               const std::vector<Piece>& pieces, const VectorCall& call,
                               uint32_t alignment = kUbBlock) {
    return {tensor, pieces, call, alignment};
}

// Working space of an instruction, which writes it.
template <typename T>
T* Clobbered(const AscendC::LocalTensor<T>& tensor, uint64_t count, const VectorCall& call) {
    return VectorOperand(tensor, count, call);
}

// Bytes of UB that a finished instruction has left with anything in them, but for the `kept` bytes
// from `keptAt` on, which hold its result.
template <typename T>
void LeaveUndefined(const AscendC::LocalTensor<T>& tensor, uint64_t count, uint64_t keptAt,
                    uint64_t kept, const VectorCall& call) {
    auto* memory =
        reinterpret_cast<uint8_t*>(tensor.Elements(0, count, call.name, "V", call.where));
    const uint64_t start = tensor.UbAddress();
    const auto leave = [&](uint64_t from, uint64_t to) {
        if (from < to) {
            Poison(memory + (from - start), to - from);
            if constexpr (kChecksAll) {
                MarkUndefined(from, to - from);
            }
        }
    };
    const uint64_t end = start + count * sizeof(T);
    leave(start, std::min(std::max(keptAt, start), end));
    leave(std::max(std::min(keptAt + kept, end), start), end);
}

}  // namespace ascendsim
