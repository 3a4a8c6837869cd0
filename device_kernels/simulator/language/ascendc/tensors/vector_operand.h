// What every vector instruction requires of its operands, and the loop over consecutive elements.
#pragma once

#include <cstdint>
#include <utility>

#include "../../engine/memory/access.h"
#include "../../engine/order/pipelines.h"
#include "../../engine/report/diagnostics.h"
#include "local_tensor.h"

namespace ascendsim {

// One vector instruction. Its operands count as read and written when it ends.
class VectorCall {
public:
    VectorCall(const char* name, CallSite where) : name(name), where(where) {
        if constexpr (kChecks) {
            begin_ = BeginVector();
        }
    }
    VectorCall(const VectorCall&) = delete;
    VectorCall& operator=(const VectorCall&) = delete;
    ~VectorCall() {
        if constexpr (kChecks) {
            EndVector(begin_, AsDoer());
        }
    }
    Doer AsDoer() const { return {name, "V", where}; }

    // What the instruction does, once all of its operands are declared: now, or when V comes to it.
    // `effect` captures values only.
    template <typename Body>
    void Perform(Body effect) const {
        if constexpr (kChecks) {
            if (QueuesEffects()) {
                QueueVector(begin_, std::move(effect), AsDoer(), hasRead_);
                return;
            }
        }
        effect();
    }

    // For an instruction that is judged by the values of its operands: it runs when it is issued,
    // behind what V has queued.
    void RunNow() const {
        if constexpr (kChecks) {
            if (QueuesEffects()) {
                FinishPipe(Pipe::V);
                hasRead_ = true;
            }
        }
    }

    const char* const name;
    const CallSite where;

private:
    uint32_t begin_ = 0;
    mutable bool hasRead_ = false;  // its operands, before it is queued
};

// The elements of an operand that was found to be inside its buffer. Where it becomes a T* the
// instruction writes them, where it becomes a const T* it reads them: that is how the checks know.
// `runs(body)` calls `body(first, count)` for all that lie side by side.
template <typename T, typename Runs>
class VectorElements {
public:
    VectorElements(T* elements, uint64_t ubAddress, Runs runs, const VectorCall& call)
        : elements_(elements), ubAddress_(ubAddress), runs_(runs), call_(call) {}
    operator T*() const { return Declared(Access::Write); }
    operator const T*() const { return Declared(Access::Read); }

    // Units of `bytes` bytes instead of elements are what belongs together: unit i of a result is
    // defined where unit i of every operand with as many units is.
    VectorElements InUnits(uint64_t bytes) const {
        VectorElements units = *this;
        units.unit_ = bytes == 0 ? 1 : static_cast<uint32_t>(bytes);
        return units;
    }

private:
    T* Declared(Access access) const {
        if constexpr (kChecks) {
            DeclareOperand(access, unit_);
            runs_([this](uint64_t first, uint64_t count) {
                DeclarePiece(ubAddress_ + first * sizeof(T), count * sizeof(T), call_.AsDoer());
            });
        }
        return elements_;
    }

    T* const elements_;
    const uint64_t ubAddress_;
    const Runs runs_;
    const VectorCall& call_;
    uint32_t unit_ = sizeof(T);  // bytes
};

// Requires that `count` elements are inside the tensor's buffer and start at a multiple of
// `alignment` bytes.
template <typename T>
T* PlacedOperand(const AscendC::LocalTensor<T>& tensor, uint64_t count, const VectorCall& call,
                 uint32_t alignment = kUbBlock) {
    T* elements = tensor.Elements(0, count, call.name, "V", call.where);
    if (kChecks && tensor.UbAddress() % alignment != 0) {
        Stop(Code::OperandAlignment, {call.where, "V", tensor.UbAddress()},
             "%s on an operand at UB address %llu, which is no multiple of %u", call.name,
             static_cast<unsigned long long>(tensor.UbAddress()), alignment);
    }
    return elements;
}

// `count` elements of a tensor as a vector operand.
template <typename T>
auto VectorOperand(const AscendC::LocalTensor<T>& tensor, uint64_t count, const VectorCall& call,
                   uint32_t alignment = kUbBlock) {
    T* elements = PlacedOperand(tensor, count, call, alignment);
    const auto all = [count](auto body) { body(0, count); };
    return VectorElements(elements, tensor.UbAddress(), all, call);
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
    if constexpr (!kChecks) {
        return;
    }
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

// Requires that an instruction writes none of the bytes that it reads.
template <typename T>
void CheckApart(const AscendC::LocalTensor<T>& dst, uint64_t dstBytes, uint64_t from,
                uint64_t fromBytes, const VectorCall& call) {
    const uint64_t to = dst.UbAddress();
    if (to < from + fromBytes && from < to + dstBytes) {
        Stop(Code::OperandOverlap, {call.where, "V", to},
             "%s writes UB [%llu, %llu) while it reads [%llu, %llu)", call.name,
             static_cast<unsigned long long>(to), static_cast<unsigned long long>(to + dstBytes),
             static_cast<unsigned long long>(from),
             static_cast<unsigned long long>(from + fromBytes));
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
