// The registers of a vector core that instructions leave set for later ones.
#pragma once

#include <array>
#include <cstdint>

#include "../report/diagnostics.h"

namespace ascendsim {

// Which lanes take part in the instructions that bring no mask of their own: a bit per lane, or, in
// counter mode, the number of elements of the whole instruction in the first word.
struct MaskRegister {
    bool counts = false;
    std::array<uint64_t, 2> words{~uint64_t{0}, ~uint64_t{0}};
};

// What a copy to global memory does with the bytes that are there.
enum class Atomic : uint8_t { None, Add, Max, Min };
enum class AtomicDtype : uint8_t { Int8, Int16, Int32, Half, Bfloat16, Float };
struct AtomicRegister {
    Atomic operation = Atomic::None;
    AtomicDtype dtype = AtomicDtype::Float;
    CallSite setAt;
};

// What DataCopyPad pads with unless its own parameters say; an element of 0 bytes: nothing is set.
struct PadRegister {
    uint64_t value = 0;
    uint32_t bytes = 0;
};

struct Registers {
    MaskRegister mask;
    AtomicRegister atomic;
    PadRegister pad;
    float deqScale = 1.0f;                   // for Cast of int32_t to half; a value of half
    std::array<uint16_t, 4> mergedCounts{};  // elements that the last MrgSort took from each list
    uint32_t mergedEpoch = 0;                // of V, when that MrgSort was issued
    CallSite mergedAt;
    uint64_t mergedTrace = 0;  // what names these counts in a trace
};

}  // namespace ascendsim
