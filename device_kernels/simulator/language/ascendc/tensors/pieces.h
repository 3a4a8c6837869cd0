// Operands that lie in pieces: a few elements here, a few there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../engine/memory/definedness.h"
#include "vector_operand.h"

namespace ascendsim {

// Consecutive elements of a tensor.
struct Piece {
    int64_t first;
    uint64_t count;
};

// The pieces of one operand, each inside the tensor's buffer.
template <typename T>
auto VectorOperand(const AscendC::LocalTensor<T>& tensor, const std::vector<Piece>& pieces,
                   const VectorCall& call, uint32_t alignment = kUbBlock) {
    T* elements = PlacedOperand(tensor, 0, call, alignment);
    for (const Piece& piece : pieces) {
        tensor.Elements(piece.first, piece.count, call.name, "V", call.where);
    }
    const auto each = [&pieces](auto body) {
        for (const Piece& piece : pieces) {
            body(static_cast<uint64_t>(piece.first), piece.count);
        }
    };
    return VectorElements(elements, tensor.UbAddress(), each, call);
}

// A piece that the scalar unit writes inside a library function, when that is called.
template <typename T>
T* ScalarPiece(const AscendC::LocalTensor<T>& tensor, const Piece& piece, const VectorCall& call) {
    T* elements = tensor.Elements(piece.first, piece.count, call.name, "S", call.where);
    if constexpr (kChecks) {
        const uint64_t start = tensor.UbAddress() + static_cast<uint64_t>(piece.first) * sizeof(T);
        ShowScalar();
        const Doer doer{call.name, "S", call.where};
        DeclareUb(Access::Write, start, piece.count * sizeof(T), doer);
        if (QueuesEffects()) {
            WroteScalar();
        }
        MarkDefined(start, piece.count * sizeof(T));
    }
    return elements;
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
            const auto poison = [first = memory + (from - start), bytes = to - from] {
                Poison(first, bytes);
            };
            if constexpr (kChecks) {
                MarkUndefined(from, to - from);
                if (QueuesEffects()) {
                    QueueClobber(poison, {from, to}, call.AsDoer());
                    return;
                }
            }
            poison();
        }
    };
    const uint64_t end = start + count * sizeof(T);
    leave(start, std::min(std::max(keptAt, start), end));
    leave(std::max(std::min(keptAt + kept, end), start), end);
}

}  // namespace ascendsim
