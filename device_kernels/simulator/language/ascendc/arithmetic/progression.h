// CreateVecIndex and ArithProgression: evenly spaced numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../engine/order/flags.h"
#include "../tensors/pieces.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "numbers.h"
#include "sixteen_bit.h"

#define ASCENDSIM_PROGRESSION_DTYPES(function, T) \
    ASCENDSIM_DTYPES(function, T, half, float, int16_t, int32_t)

namespace ascendsim {

// first + step * index, each operation rounded to T.
template <typename T>
T Term(T first, T step, uint32_t index) {
    return Sum(first, Product(step, static_cast<T>(static_cast<int32_t>(index))));
}

// Element i of a progression as it is built on the device: the first 8 elements one by one, then
// blocks of 8 and of 64 by adding a multiple of the step to those.
template <typename T>
T ProgressionElement(T first, T step, uint32_t index) {
    const T start = Term(first, step, index % 8);
    const T inner = index % 64 < 8 ? start : Term(start, step, index % 64 / 8 * 8);
    return index < 64 ? inner : Term(inner, step, index / 64 * 64);
}

inline void OrderPipes(Pipe source, Pipe waiter) {
    if constexpr (kChecks) {
        OrderInside(source, waiter);
    }
}

// Writes `element(i)` for i in [0, count). The scalar unit writes the first block of 32 bytes, and
// V the others from those before: V waits for the scalar unit, but the scalar unit not for V.
template <typename T, typename Element>
void WriteProgression(const AscendC::LocalTensor<T>& dst, uint32_t count, const VectorCall& call,
                      Element element) {
    const uint32_t first = std::min<uint32_t>(count, kUbBlock / sizeof(T));
    PlacedOperand(dst, count, call);
    T* begin = ScalarPiece(dst, {0, first}, call);
    ForEachElement(first, [=](uint32_t i) { begin[i] = element(i); });
    OrderPipes(Pipe::S, Pipe::V);
    if (count == first) {
        return;
    }
    const std::vector<Piece> rest{{first, count - first}};
    [[maybe_unused]] const T* read = VectorOperand(dst, first, call);
    T* to = VectorOperand(dst, rest, call);
    call.Perform([=] {
        ForEachElement(count - first, [=](uint32_t i) { to[first + i] = element(first + i); });
    });
}

// The same for active lanes, numbered in one repeat after the other: the scalar unit writes those
// of the first block, or where the mask has bits of the first repeat.
template <typename T, typename Element>
void WriteProgression(const AscendC::LocalTensor<T>& dst, const Lanes& lanes,
                      const LaneLayout& layout, bool hasBits, const VectorCall& call,
                      Element element) {
    const uint32_t firstLanes = hasBits ? lanes.PerRepeat() : layout.perBlock;
    const auto isFirst = [=](uint32_t repeat, uint32_t lane) {
        return repeat == 0 && lane < firstLanes;
    };
    PlacedOperand(dst, lanes.Extent(layout), call);
    std::vector<Piece> first;
    std::vector<Piece> rest;
    lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
        const Piece place{static_cast<int64_t>(layout.Offset(repeat, lane)), 1};
        (isFirst(repeat, lane) ? first : rest).push_back(place);
        if (isFirst(repeat, lane)) {
            *ScalarPiece(dst, place, call) = element(lane);
        }
    });
    OrderPipes(Pipe::S, Pipe::V);
    if (rest.empty()) {
        return;
    }
    [[maybe_unused]] const T* read = VectorOperand(dst, first, call);
    T* to = VectorOperand(dst, rest, call);
    call.Perform([=, perRepeat = lanes.PerRepeat()] {
        lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
            if (!isFirst(repeat, lane)) {
                to[layout.Offset(repeat, lane)] = element(repeat * perRepeat + lane);
            }
        });
    });
}

template <typename T>
void Progress(const AscendC::LocalTensor<T>& dst, T first, T step, int32_t count,
              const VectorCall& call) {
    if (count < 1) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with a count of %d, at least 1", call.name,
             count);
    }
    const auto elements = static_cast<uint32_t>(count);
    if (elements <= kUbBlock / sizeof(T)) {
        OrderPipes(Pipe::V, Pipe::S);
    }
    WriteProgression(dst, elements, call,
                     [=](uint32_t i) { return ProgressionElement(first, step, i); });
}

}  // namespace ascendsim

namespace AscendC {

// firstValue, firstValue + 1, ...
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, uint32_t count,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("CreateVecIndex", T);
    ascendsim::WriteProgression(dst, count, {"CreateVecIndex", where}, [firstValue](uint32_t i) {
        return ascendsim::Term(firstValue, static_cast<T>(1), i);
    });
}

// As if all lanes of all repeats were numbered, one repeat after the other.
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, ascendsim::LaneMask mask,
                    ascendsim::RepeatTimes repeatTime, ascendsim::Field<uint16_t> dstBlkStride,
                    ascendsim::Field<uint8_t> dstRepStride,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("CreateVecIndex", T);
    const ascendsim::VectorCall call{"CreateVecIndex", where};
    constexpr uint32_t kLanes = ascendsim::kRepeatBytes / sizeof(T);
    const auto lanes = ascendsim::ActiveLanes<true>(mask, repeatTime, kLanes, call);
    const auto layout = ascendsim::LayoutOf<T>(dstBlkStride, dstRepStride);
    ascendsim::WriteProgression(dst, lanes, layout, mask.HasBits(), call, [firstValue](uint32_t i) {
        return ascendsim::Term(firstValue, static_cast<T>(1), i);
    });
}

// firstValue, firstValue + diffValue, ... Of one block or less the scalar unit waits for V before.
template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                      int32_t count, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("ArithProgression", T);
    ascendsim::Progress(dst, firstValue, diffValue, count, {"ArithProgression", where});
}

// The same by its later name.
template <typename T>
void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_PROGRESSION_DTYPES("Arange", T);
    const ascendsim::VectorCall call{"Arange", where};
    if (!(diffValue >= static_cast<T>(0))) {
        ascendsim::Stop(ascendsim::Code::ArgumentRange, {where, "V"},
                        "Arange with a difference below 0");
    }
    ascendsim::Progress(dst, firstValue, diffValue, count, call);
}

}  // namespace AscendC
