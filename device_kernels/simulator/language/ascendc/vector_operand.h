// What every vector instruction requires of its operands, and the loop over consecutive elements.
#pragma once

#include <cstdint>

#include "../engine/diagnostics.h"
#include "local_tensor.h"

namespace ascendsim {

struct VectorCall {
    const char* name;
    CallSite where;
};

// `count` elements of a tensor as a vector operand: inside its buffer, starting at 32 bytes.
template <typename T>
T* VectorOperand(const AscendC::LocalTensor<T>& tensor, uint64_t count, const VectorCall& call) {
    T* elements = tensor.Elements(0, count, call.name, "V", call.where);
    if (tensor.UbAddress() % kUbBlock != 0) {
        Stop(Code::OperandAlignment, {call.where, "V", tensor.UbAddress()},
             "%s on an operand at UB address %llu, which is no multiple of 32", call.name,
             static_cast<unsigned long long>(tensor.UbAddress()));
    }
    return elements;
}

inline uint32_t CheckCount(int64_t count, const VectorCall& call) {
    if (count < 0) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with a count of %lld", call.name,
             static_cast<long long>(count));
    }
    return static_cast<uint32_t>(count);
}

// Requires that writing element i of `dst` never reaches an element of `src` after i: they are
// disjoint, coincide with elements of one size, or the result is narrower from the same start, or
// wider from far enough below. Both ends of the walk decide, as both addresses grow evenly.
template <typename Dst, typename Src>
void CheckOverlap(const AscendC::LocalTensor<Dst>& dst, const AscendC::LocalTensor<Src>& src,
                  uint32_t count, const VectorCall& call) {
    const uint64_t to = dst.UbAddress();
    const uint64_t from = src.UbAddress();
    const uint64_t last = count - uint64_t{1};
    const bool disjoint = to + count * sizeof(Dst) <= from || from + count * sizeof(Src) <= to;
    if (count == 0 || disjoint || (to == from && sizeof(Dst) <= sizeof(Src))) {
        return;
    }
    const bool behind = to + sizeof(Dst) <= from + sizeof(Src) &&
                        to + last * sizeof(Dst) <= from + last * sizeof(Src);
    if (sizeof(Dst) == sizeof(Src) || !behind) {
        Stop(Code::OperandOverlap, {call.where, "V", to},
             "%s writes UB [%llu, %llu) while it reads [%llu, %llu)", call.name,
             static_cast<unsigned long long>(to),
             static_cast<unsigned long long>(to + count * sizeof(Dst)),
             static_cast<unsigned long long>(from),
             static_cast<unsigned long long>(from + count * sizeof(Src)));
    }
}

// Calls `body(i)` for i in [0, count). No iteration reads what an earlier one wrote (CheckOverlap),
// so the compiler need not assume it. Clang has no such promise without a demand: it checks.
template <typename Body>
inline void ForEachElement(uint32_t count, Body body) {
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (uint32_t index = 0; index < count; ++index) {
        body(index);
    }
}

}  // namespace ascendsim
