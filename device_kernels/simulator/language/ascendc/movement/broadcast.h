// Broadcast: the one row or the one column of a tensor, as often as the result has rows or columns.
#pragma once

#include <cstdint>

#include "../arithmetic/sixteen_bit.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "rows.h"

namespace ascendsim {

// Both shapes as rows and columns: one dimension is a row.
struct Spread {
    uint32_t rows;
    uint32_t columns;
    uint32_t srcRows;
    uint32_t srcColumns;
};

template <int32_t axis>
void CheckSpread(const Spread& shape, uint64_t elementBytes, const VectorCall& call) {
    const bool one = axis == 0 ? shape.srcRows == 1 && shape.srcColumns == shape.columns
                               : shape.srcColumns == 1 && shape.srcRows == shape.rows;
    if (!one) {
        Stop(Code::ArgumentRange, {call.where, "V"},
             "%s of (%u, %u) to (%u, %u): the source has one element on axis %d, and the other "
             "axis of the result",
             call.name, shape.srcRows, shape.srcColumns, shape.rows, shape.columns, axis);
    }
    if (axis == 0 && shape.srcColumns * elementBytes % kUbBlock != 0) {
        Stop(Code::ArgumentRange, {call.where, "V"},
             "%s of a row of %u elements, which fill no whole blocks of 32 bytes", call.name,
             shape.srcColumns);
    }
}

// A null space: the function takes its own from the rest of UB.
template <int32_t axis, typename T>
void BroadcastOf(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                 const Spread& shape, const AscendC::LocalTensor<uint8_t>* space, CallSite where) {
    ASCENDSIM_DTYPES("Broadcast", T, int8_t, uint8_t, half, float);
    {
        const VectorCall call{"Broadcast", where};
        CheckSpread<axis>(shape, sizeof(T), call);
        const uint32_t count = shape.rows * shape.columns;
        const uint32_t taken = shape.srcRows * shape.srcColumns;
        CheckApart(dst, count * sizeof(T), src.UbAddress(), taken * sizeof(T), call);
        CheckSpaceApart(space, src, taken * sizeof(T), call);
        CheckSpaceApart(space, dst, count * sizeof(T), call);
        ClobberSpace(space, call);
        const T* from = VectorOperand(src, taken, call);
        T* to = VectorOperand(dst, count, call);
        call.Perform([=] {
            ForEachElement(count, [=](uint32_t i) {
                to[i] = from[axis == 0 ? i % shape.columns : i / shape.columns];
            });
        });
    }
    LeaveSpaceUndefined(space, {"Broadcast", where});
}

// One dimension is a row whose columns are spread.
template <int32_t dim, int32_t axis, typename T>
void BroadcastTo(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                 const uint32_t* dstShape, const uint32_t* srcShape,
                 const AscendC::LocalTensor<uint8_t>* space, CallSite where) {
    static_assert(dim == 1 || dim == 2, "Broadcast takes one or two dimensions");
    static_assert(axis == 0 || (axis == 1 && dim == 2), "Broadcast has no such axis");
    if constexpr (dim == 1) {
        BroadcastOf<1>(dst, src, Spread{1, dstShape[0], 1, srcShape[0]}, space, where);
    } else {
        BroadcastOf<axis>(dst, src, Spread{dstShape[0], dstShape[1], srcShape[0], srcShape[1]},
                          space, where);
    }
}

}  // namespace ascendsim

// The working space, all of it, holds anything afterwards. isReuseSource is reserved.
#define ASCENDSIM_BROADCAST(Name)                                                                 \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t* dstShape,     \
              const uint32_t* srcShape, const LocalTensor<uint8_t>& sharedTmpBuffer,              \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                       \
        ascendsim::BroadcastTo<dim, axis>(dst, src, dstShape, srcShape, &sharedTmpBuffer, where); \
    }                                                                                             \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t* dstShape,     \
              const uint32_t* srcShape,                                                           \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                       \
        ascendsim::BroadcastTo<dim, axis>(dst, src, dstShape, srcShape, nullptr, where);          \
    }

namespace AscendC {

ASCENDSIM_BROADCAST(Broadcast)
ASCENDSIM_BROADCAST(BroadCast)  // its former name

}  // namespace AscendC
