// SetAtomicAdd, SetAtomicMax, SetAtomicMin and SetAtomicNone: what copies to global memory do with
// the values that are there.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../engine/memory/global_memory.h"
#include "../../engine/schedule/core.h"
#include "../arithmetic/numbers.h"
#include "../arithmetic/sixteen_bit.h"
#include "../vocabulary/dtype_table.h"

#define ASCENDSIM_ATOMIC_DTYPES(function, T) \
    ASCENDSIM_DTYPES(function, T, int8_t, int16_t, int32_t, half, bfloat16_t, float)

namespace ascendsim {

template <typename T>
constexpr AtomicDtype AtomicDtypeOf() {
    if constexpr (std::is_same_v<T, half>) {
        return AtomicDtype::Half;
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        return AtomicDtype::Bfloat16;
    } else if constexpr (std::is_same_v<T, float>) {
        return AtomicDtype::Float;
    } else {
        return sizeof(T) == 1   ? AtomicDtype::Int8
               : sizeof(T) == 2 ? AtomicDtype::Int16
                                : AtomicDtype::Int32;
    }
}

inline void SetAtomic(Atomic operation, AtomicDtype dtype, CallSite where) {
    CurrentCore().registers.atomic = {operation, dtype, where};
}

// What the elements of two operands are combined as: bfloat16_t through float, rounded once.
template <typename T>
T Combine(Atomic operation, T there, T coming) {
    if constexpr (std::is_same_v<T, bfloat16_t>) {
        return bfloat16_t(Combine(operation, float(there), float(coming)));
    } else {
        switch (operation) {
            case Atomic::Add:
                return Sum(there, coming);
            case Atomic::Max:
                return Larger(there, coming);
            case Atomic::Min:
                return Smaller(there, coming);
            case Atomic::None:
                break;
        }
        return coming;
    }
}

template <typename T>
void CombineAll(Atomic operation, uint8_t* target, const uint8_t* source, uint64_t bytes) {
    for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        T there;
        T coming;
        std::memcpy(&there, target + at, sizeof(T));
        std::memcpy(&coming, source + at, sizeof(T));
        const T combined = Combine(operation, there, coming);
        std::memcpy(target + at, &combined, sizeof(T));
    }
}

// How copies to global memory access it.
inline Access StoreAccess() {
    const bool plain = CurrentCore().registers.atomic.operation == Atomic::None;
    return plain ? Access::Write : Access::Atomic;
}

// Writes `bytes` of `source` to global memory, as the atomic mode says.
inline void Store(uint8_t* target, const uint8_t* source, uint64_t bytes) {
    const AtomicRegister& mode = CurrentCore().registers.atomic;
    if (mode.operation == Atomic::None) {
        std::memcpy(target, source, bytes);
        return;
    }
    switch (mode.dtype) {
        case AtomicDtype::Int8:
            return CombineAll<int8_t>(mode.operation, target, source, bytes);
        case AtomicDtype::Int16:
            return CombineAll<int16_t>(mode.operation, target, source, bytes);
        case AtomicDtype::Int32:
            return CombineAll<int32_t>(mode.operation, target, source, bytes);
        case AtomicDtype::Half:
            return CombineAll<half>(mode.operation, target, source, bytes);
        case AtomicDtype::Bfloat16:
            return CombineAll<bfloat16_t>(mode.operation, target, source, bytes);
        case AtomicDtype::Float:
            return CombineAll<float>(mode.operation, target, source, bytes);
    }
}

// Requires that a tensor of T is what the atomic mode was set for: the mode decides how the bytes
// are combined, the tensor does not.
template <typename T>
void CheckAtomicDtype(const char* operation, CallSite where) {
    const AtomicRegister& mode = CurrentCore().registers.atomic;
    constexpr bool kKnown = kIsOneOf<T, int8_t, int16_t, int32_t, half, bfloat16_t, float>;
    if (mode.operation != Atomic::None && (!kKnown || AtomicDtypeOf<T>() != mode.dtype)) {
        Stop(Code::ArgumentRange, {where, "MTE3"},
             "%s of another dtype than the one that line %u has set the atomic mode for", operation,
             mode.setAt.line());
    }
}

}  // namespace ascendsim

namespace AscendC {

template <typename T>
void SetAtomicAdd(ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ATOMIC_DTYPES("SetAtomicAdd", T);
    ascendsim::SetAtomic(ascendsim::Atomic::Add, ascendsim::AtomicDtypeOf<T>(), where);
}

template <typename T>
void SetAtomicMax(ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ATOMIC_DTYPES("SetAtomicMax", T);
    ascendsim::SetAtomic(ascendsim::Atomic::Max, ascendsim::AtomicDtypeOf<T>(), where);
}

template <typename T>
void SetAtomicMin(ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_ATOMIC_DTYPES("SetAtomicMin", T);
    ascendsim::SetAtomic(ascendsim::Atomic::Min, ascendsim::AtomicDtypeOf<T>(), where);
}

inline void SetAtomicNone() { ascendsim::CurrentCore().registers.atomic = {}; }

}  // namespace AscendC
