// Duplicate: one value into many elements.
#pragma once

#include <cstdint>

#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "sixteen_bit.h"

#define ASCENDSIM_DUPLICATE_DTYPES(T) \
    ASCENDSIM_DTYPES("Duplicate", T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float)

namespace AscendC {

template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalar, int32_t count,
               ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_DUPLICATE_DTYPES(T);
    const ascendsim::VectorCall call{"Duplicate", where};
    const uint32_t elements = ascendsim::CheckCount(count, call);
    T* to = ascendsim::VectorOperand(dst, elements, call);
    call.Perform(
        [=] { ascendsim::ForEachElement(elements, [to, scalar](uint32_t i) { to[i] = scalar; }); });
}

// Strides in 32-byte blocks.
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalar, ascendsim::LaneMask mask,
               ascendsim::RepeatTimes repeatTime, ascendsim::Field<uint16_t> dstBlockStride,
               ascendsim::Field<uint8_t> dstRepeatStride,
               ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_DUPLICATE_DTYPES(T);
    const ascendsim::VectorCall call{"Duplicate", where};
    const ascendsim::Lanes lanes = ascendsim::ActiveLanes<isSetMask>(
        mask, repeatTime, ascendsim::kRepeatBytes / sizeof(T), call);
    const auto layout = ascendsim::LayoutOf<T>(dstBlockStride, dstRepeatStride);
    T* to = ascendsim::VectorOperand(dst, lanes, layout, call);
    call.Perform([=] {
        lanes.ForEach(
            [&](uint32_t repeat, uint32_t lane) { to[layout.Offset(repeat, lane)] = scalar; });
    });
}

}  // namespace AscendC
