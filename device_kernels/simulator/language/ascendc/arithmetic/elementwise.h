// The loops of instructions that compute each element of the result from those at its place.
#pragma once

#include <cstdint>

#include "../tensors/vector_operand.h"
#include "../vocabulary/lane_overlap.h"
#include "../vocabulary/repeat.h"

namespace ascendsim {

template <typename T, typename Function>
void BinaryCount(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<T>& src1, int64_t count, const VectorCall& call,
                 Function function) {
    const uint32_t elements = CheckCount(count, call);
    T* to = VectorOperand(dst, elements, call);
    const T* left = VectorOperand(src0, elements, call);
    const T* right = VectorOperand(src1, elements, call);
    CheckOverlap(dst, src0, elements, call);
    CheckOverlap(dst, src1, elements, call);
    call.Perform([=] {
        ForEachElement(elements, [=](uint32_t i) { to[i] = function(left[i], right[i]); });
    });
}

template <bool isSetMask, typename T, typename Function>
void BinaryLanes(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<T>& src1, LaneMask mask, RepeatTimes repeats,
                 const AscendC::BinaryRepeatParams& strides, const VectorCall& call,
                 Function function) {
    const Lanes lanes = ActiveLanes<isSetMask>(mask, repeats, kRepeatBytes / sizeof(T), call);
    const auto toLayout = LayoutOf<T>(strides.dstBlkStride, strides.dstRepStride);
    const auto leftLayout = LayoutOf<T>(strides.src0BlkStride, strides.src0RepStride);
    const auto rightLayout = LayoutOf<T>(strides.src1BlkStride, strides.src1RepStride);
    T* to = VectorOperand(dst, lanes, toLayout, call);
    const T* left = VectorOperand(src0, lanes, leftLayout, call);
    const T* right = VectorOperand(src1, lanes, rightLayout, call);
    CheckLaneOverlap(dst, toLayout, src0, leftLayout, lanes, call);
    CheckLaneOverlap(dst, toLayout, src1, rightLayout, lanes, call);
    call.Perform([=] {
        lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
            to[toLayout.Offset(repeat, lane)] = function(left[leftLayout.Offset(repeat, lane)],
                                                         right[rightLayout.Offset(repeat, lane)]);
        });
    });
}

template <typename Dst, typename Src, typename Function>
void UnaryCount(const AscendC::LocalTensor<Dst>& dst, const AscendC::LocalTensor<Src>& src,
                int64_t count, const VectorCall& call, Function function) {
    const uint32_t elements = CheckCount(count, call);
    Dst* to = VectorOperand(dst, elements, call);
    const Src* from = VectorOperand(src, elements, call);
    CheckOverlap(dst, src, elements, call);
    call.Perform([=] { ForEachElement(elements, [=](uint32_t i) { to[i] = function(from[i]); }); });
}

template <typename Dst, typename Src, typename Function>
void UnaryOnLanes(const AscendC::LocalTensor<Dst>& dst, const AscendC::LocalTensor<Src>& src,
                  const Lanes& lanes, const LaneLayout& toLayout, const LaneLayout& fromLayout,
                  const VectorCall& call, Function function) {
    Dst* to = VectorOperand(dst, lanes, toLayout, call);
    const Src* from = VectorOperand(src, lanes, fromLayout, call);
    CheckLaneOverlap(dst, toLayout, src, fromLayout, lanes, call);
    call.Perform([=] {
        lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
            to[toLayout.Offset(repeat, lane)] = function(from[fromLayout.Offset(repeat, lane)]);
        });
    });
}

// Dst and Src differ for Cast only: then the wider one gives the lanes of a repeat.
template <bool isSetMask, typename Dst, typename Src, typename Function>
void UnaryLanes(const AscendC::LocalTensor<Dst>& dst, const AscendC::LocalTensor<Src>& src,
                LaneMask mask, RepeatTimes repeats, const AscendC::UnaryRepeatParams& strides,
                const VectorCall& call, Function function) {
    constexpr uint32_t kWidest = sizeof(Dst) > sizeof(Src) ? sizeof(Dst) : sizeof(Src);
    UnaryOnLanes(dst, src, ActiveLanes<isSetMask>(mask, repeats, kRepeatBytes / kWidest, call),
                 LayoutOf<Dst>(strides.dstBlkStride, strides.dstRepStride),
                 LayoutOf<Src>(strides.srcBlkStride, strides.srcRepStride), call, function);
}

}  // namespace ascendsim

// Defines Name(dst, src0, src1, ...) in both forms: dst[i] = Function(src0[i], src1[i]). The last
// arguments are the dtypes that it takes.
#define ASCENDSIM_BINARY(Name, Function, ...)                                                     \
    template <typename T>                                                                         \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,  \
              int32_t count, ascendsim::CallSite where = ascendsim::CallSite::current()) {        \
        ASCENDSIM_DTYPES(#Name, T, __VA_ARGS__);                                                  \
        ascendsim::BinaryCount(dst, src0, src1, count, {#Name, where},                            \
                               [](T left, T right) { return Function(left, right); });            \
    }                                                                                             \
    template <typename T, bool isSetMask = true>                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,  \
              ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,                        \
              const BinaryRepeatParams& repeatParams,                                             \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                       \
        ASCENDSIM_DTYPES(#Name, T, __VA_ARGS__);                                                  \
        ascendsim::BinaryLanes<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams,        \
                                          {#Name, where},                                         \
                                          [](T left, T right) { return Function(left, right); }); \
    }

// Defines Name(dst, src, scalar, ...) in both forms: dst[i] = Function(src[i], scalar).
#define ASCENDSIM_SCALAR(Name, Function, ...)                                                      \
    template <typename T, bool isSetMask = true>                                                   \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar,               \
              int32_t count, ascendsim::CallSite where = ascendsim::CallSite::current()) {         \
        ASCENDSIM_DTYPES(#Name, T, __VA_ARGS__);                                                   \
        const ascendsim::VectorCall call{#Name, where};                                            \
        ascendsim::UnaryCount(dst, src, ascendsim::ActiveCount<isSetMask>(count, call), call,      \
                              [scalar](T value) { return Function(value, scalar); });              \
    }                                                                                              \
    template <typename T, bool isSetMask = true>                                                   \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar,               \
              ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,                         \
              const UnaryRepeatParams& repeatParams,                                               \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                        \
        ASCENDSIM_DTYPES(#Name, T, __VA_ARGS__);                                                   \
        ascendsim::UnaryLanes<isSetMask>(dst, src, mask, repeatTime, repeatParams, {#Name, where}, \
                                         [scalar](T value) { return Function(value, scalar); });   \
    }

// Defines Name(dst, src, ...) in both forms: dst[i] = Function(src[i]).
#define ASCENDSIM_UNARY(Name, Function, ...)                                                       \
    template <typename T>                                                                          \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t count,                 \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                        \
        ASCENDSIM_DTYPES(#Name, T, __VA_ARGS__);                                                   \
        ascendsim::UnaryCount(dst, src, count, {#Name, where},                                     \
                              [](T value) { return Function(value); });                            \
    }                                                                                              \
    template <typename T, bool isSetMask = true>                                                   \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, ascendsim::LaneMask mask,      \
              ascendsim::RepeatTimes repeatTime, const UnaryRepeatParams& repeatParams,            \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                        \
        ASCENDSIM_DTYPES(#Name, T, __VA_ARGS__);                                                   \
        ascendsim::UnaryLanes<isSetMask>(dst, src, mask, repeatTime, repeatParams, {#Name, where}, \
                                         [](T value) { return Function(value); });                 \
    }
