// Select: each element from one of two operands, as the bits of a mask in UB say.
#pragma once

#include <cstdint>

#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "elementwise.h"
#include "sixteen_bit.h"

namespace AscendC {

enum class SELMODE : uint8_t {
    VSEL_CMPMASK_SPR,         // between tensors, every repeat by the same bits
    VSEL_TENSOR_SCALAR_MODE,  // between a tensor and a scalar
    VSEL_TENSOR_TENSOR_MODE,  // between tensors
};

}  // namespace AscendC

namespace ascendsim {

// The bits of a mask in UB: element `lane` of repeat `repeat` has bit repeat * lanes + lane, or bit
// `lane` where every repeat takes the same ones.
template <typename U>
struct SelectBits {
    const U* words;
    uint32_t perRepeat;
    bool operator()(uint32_t repeat, uint32_t lane) const {
        const uint32_t bit = repeat * perRepeat + lane;
        return (words[bit / (8 * sizeof(U))] >> bit % (8 * sizeof(U)) & 1) != 0;
    }
};

template <typename U>
SelectBits<U> BitsFor(const AscendC::LocalTensor<U>& selMask, uint32_t repeats, uint32_t lanes,
                      AscendC::SELMODE mode, const VectorCall& call) {
    constexpr uint32_t kBits = 8 * sizeof(U);
    const bool same = mode == AscendC::SELMODE::VSEL_CMPMASK_SPR;
    const uint32_t bits = repeats == 0 ? 0 : same ? lanes : repeats * lanes;
    const uint32_t count = (bits + kBits - 1) / kBits;
    const U* words = VectorOperand(selMask, count, call).InUnits(count * sizeof(U));
    return {words, same ? 0 : lanes};
}

inline void RequireSelectMode(bool scalar, AscendC::SELMODE mode, const VectorCall& call) {
    if (scalar != (mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE)) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "Select of a tensor and a %s takes %s",
             scalar ? "scalar" : "tensor",
             scalar ? "VSEL_TENSOR_SCALAR_MODE only" : "any mode but VSEL_TENSOR_SCALAR_MODE");
    }
}

// `other(repeat, lane)` is what an element becomes where its bit is 0.
template <typename T, typename U, typename Other>
void SelectLanes(const AscendC::LocalTensor<T>& dst, const LaneLayout& toLayout,
                 const AscendC::LocalTensor<U>& selMask, const AscendC::LocalTensor<T>& src0,
                 const LaneLayout& fromLayout, AscendC::SELMODE mode, const Lanes& lanes,
                 const VectorCall& call, Other other) {
    const auto bits = BitsFor(selMask, lanes.Repeats(), lanes.PerRepeat(), mode, call);
    const T* from = VectorOperand(src0, lanes, fromLayout, call);
    T* to = VectorOperand(dst, lanes, toLayout, call);
    CheckLaneOverlap(dst, toLayout, src0, fromLayout, lanes, call);
    call.Perform([=] {
        lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
            to[toLayout.Offset(repeat, lane)] =
                bits(repeat, lane) ? from[fromLayout.Offset(repeat, lane)] : other(repeat, lane);
        });
    });
}

}  // namespace ascendsim

#define ASCENDSIM_SELECT_DTYPES(T, U)                                            \
    ASCENDSIM_DTYPES("Select", T, half, float);                                  \
    static_assert(ascendsim::kIsOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>, \
                  "Select takes its bits as uint8_t, uint16_t, uint32_t or uint64_t")

namespace AscendC {

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SELECT_DTYPES(T, U);
    const ascendsim::VectorCall call{"Select", where};
    ascendsim::RequireSelectMode(false, selMode, call);
    const ascendsim::Lanes lanes(count, ascendsim::kRepeatBytes / sizeof(T));
    const auto layout = ascendsim::LayoutOf<T>(1, 8);
    const T* right = ascendsim::VectorOperand(src1, count, call);
    ascendsim::CheckOverlap(dst, src1, count, call);
    ascendsim::SelectLanes(
        dst, layout, selMask, src0, layout, selMode, lanes, call,
        [=](uint32_t repeat, uint32_t lane) { return right[layout.Offset(repeat, lane)]; });
}

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            T src1, SELMODE selMode, uint32_t count,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SELECT_DTYPES(T, U);
    const ascendsim::VectorCall call{"Select", where};
    ascendsim::RequireSelectMode(true, selMode, call);
    const ascendsim::Lanes lanes(count, ascendsim::kRepeatBytes / sizeof(T));
    const auto layout = ascendsim::LayoutOf<T>(1, 8);
    ascendsim::SelectLanes(dst, layout, selMask, src0, layout, selMode, lanes, call,
                           [src1](uint32_t, uint32_t) { return src1; });
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, ascendsim::LaneMask mask,
            ascendsim::RepeatTimes repeatTime, const BinaryRepeatParams& repeatParams,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SELECT_DTYPES(T, U);
    const ascendsim::VectorCall call{"Select", where};
    ascendsim::RequireSelectMode(false, selMode, call);
    constexpr uint32_t kLanes = ascendsim::kRepeatBytes / sizeof(T);
    const auto lanes = ascendsim::ActiveLanes<isSetMask>(mask, repeatTime, kLanes, call);
    const auto to = ascendsim::LayoutOf<T>(repeatParams.dstBlkStride, repeatParams.dstRepStride);
    const auto left =
        ascendsim::LayoutOf<T>(repeatParams.src0BlkStride, repeatParams.src0RepStride);
    const auto right =
        ascendsim::LayoutOf<T>(repeatParams.src1BlkStride, repeatParams.src1RepStride);
    const T* other = ascendsim::VectorOperand(src1, lanes, right, call);
    ascendsim::CheckLaneOverlap(dst, to, src1, right, lanes, call);
    ascendsim::SelectLanes(
        dst, to, selMask, src0, left, selMode, lanes, call,
        [=](uint32_t repeat, uint32_t lane) { return other[right.Offset(repeat, lane)]; });
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            T src1, SELMODE selMode, ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,
            const BinaryRepeatParams& repeatParams,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SELECT_DTYPES(T, U);
    const ascendsim::VectorCall call{"Select", where};
    ascendsim::RequireSelectMode(true, selMode, call);
    constexpr uint32_t kLanes = ascendsim::kRepeatBytes / sizeof(T);
    const auto lanes = ascendsim::ActiveLanes<isSetMask>(mask, repeatTime, kLanes, call);
    const auto to = ascendsim::LayoutOf<T>(repeatParams.dstBlkStride, repeatParams.dstRepStride);
    const auto from =
        ascendsim::LayoutOf<T>(repeatParams.src0BlkStride, repeatParams.src0RepStride);
    ascendsim::SelectLanes(dst, to, selMask, src0, from, selMode, lanes, call,
                           [src1](uint32_t, uint32_t) { return src1; });
}

}  // namespace AscendC
