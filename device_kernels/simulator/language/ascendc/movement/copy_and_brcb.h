// Copy and Brcb: elements of UB to other places in UB.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../arithmetic/elementwise.h"
#include "../arithmetic/sixteen_bit.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "copy_params.h"

#define ASCENDSIM_MOVE_DTYPES(function, T) \
    ASCENDSIM_DTYPES(function, T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float)

namespace AscendC {

// Strides in 32-byte blocks: between the blocks of a repeat, and between repeats.
struct CopyRepeatParams {
    CopyRepeatParams() = default;
    CopyRepeatParams(ascendsim::Field<uint16_t> dstStride, ascendsim::Field<uint16_t> srcStride,
                     ascendsim::Field<uint16_t> dstRepeatSize,
                     ascendsim::Field<uint16_t> srcRepeatSize)
        : dstStride(dstStride),
          srcStride(srcStride),
          dstRepeatSize(dstRepeatSize),
          srcRepeatSize(srcRepeatSize) {}

    ascendsim::Field<uint16_t> dstStride = 1;
    ascendsim::Field<uint16_t> srcStride = 1;
    ascendsim::Field<uint16_t> dstRepeatSize = 8;
    ascendsim::Field<uint16_t> srcRepeatSize = 8;
};

struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    BrcbRepeatParams(ascendsim::Field<uint16_t> dstBlkStride,
                     ascendsim::Field<uint16_t> dstRepStride)
        : dstBlkStride(dstBlkStride), dstRepStride(dstRepStride) {}

    ascendsim::Field<uint16_t> dstBlkStride = 1;
    ascendsim::Field<uint16_t> dstRepStride = 8;
};

}  // namespace AscendC

namespace ascendsim {

inline constexpr uint32_t kMostCopyRepeatSize = 4095;

inline void CheckRepeatSize(uint32_t size, const VectorCall& call) {
    if (size > kMostCopyRepeatSize) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with a repeat size of %u, at most %u",
             call.name, size, kMostCopyRepeatSize);
    }
}

// Unlike other instructions, Copy repeats in counter mode too: a mask is the elements of a repeat.
template <bool isSetMask>
Lanes CopyLanes(LaneMask mask, RepeatTimes repeats, uint32_t lanes, const VectorCall& call) {
    const MaskRegister& sticky = CurrentCore().registers.mask;
    if (sticky.counts) {
        const uint64_t count = isSetMask ? mask.Count(call) : sticky.words[0];
        return Lanes(LaneMask(count).Bits(lanes, call), repeats.Value(), lanes);
    }
    return ActiveLanes<isSetMask>(mask, repeats, lanes, call);
}

}  // namespace ascendsim

namespace AscendC {

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, ascendsim::LaneMask mask,
          ascendsim::RepeatTimes repeatTime, const CopyRepeatParams& repeatParams,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_MOVE_DTYPES("Copy", T);
    const ascendsim::VectorCall call{"Copy", where};
    ascendsim::CheckRepeatSize(repeatParams.dstRepeatSize, call);
    ascendsim::CheckRepeatSize(repeatParams.srcRepeatSize, call);
    const auto lanes = ascendsim::CopyLanes<isSetMask>(mask, repeatTime,
                                                       ascendsim::kRepeatBytes / sizeof(T), call);
    ascendsim::UnaryOnLanes(
        dst, src, lanes, ascendsim::LayoutOf<T>(repeatParams.dstStride, repeatParams.dstRepeatSize),
        ascendsim::LayoutOf<T>(repeatParams.srcStride, repeatParams.srcRepeatSize), call,
        [](T value) { return value; });
}

// Each of 8 elements fills a block of 32 bytes; a block stride of 0 counts as 1.
template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, ascendsim::RepeatTimes repeatTime,
          const BrcbRepeatParams& repeatParams,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_MOVE_DTYPES("Brcb", T);
    const ascendsim::VectorCall call{"Brcb", where};
    constexpr uint32_t kLanes = ascendsim::kRepeatBytes / sizeof(T);
    const uint32_t blockStride = std::max<uint32_t>(repeatParams.dstBlkStride, 1);
    const ascendsim::Lanes lanes(ascendsim::FirstLanes(kLanes), repeatTime.Value(), kLanes);
    const auto layout = ascendsim::LayoutOf<T>(blockStride, repeatParams.dstRepStride);
    const uint32_t count = lanes.Repeats() * 8;
    const T* from = ascendsim::VectorOperand(src0, count, call);
    T* to = ascendsim::VectorOperand(dst, lanes, layout, call).InUnits(ascendsim::kUbBlock);
    ascendsim::CheckApart(dst, lanes.Extent(layout) * sizeof(T), src0.UbAddress(),
                          count * sizeof(T), call);
    call.Perform([=] {
        lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
            to[layout.Offset(repeat, lane)] = from[repeat * 8 + lane / layout.perBlock];
        });
    });
}

}  // namespace AscendC
