// ReduceSum along one axis of rows.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "../movement/rows.h"
#include "../tensors/pieces.h"
#include "../vocabulary/dtype_table.h"
#include "reduce.h"

namespace AscendC::Pattern::Reduce {

// R is the axis that is summed, A the other.
struct AR {};
struct RA {};

}  // namespace AscendC::Pattern::Reduce

namespace ascendsim {

// Rows of `pitch` elements, which are whole blocks of 32 bytes, of which the first `used` count. No
// page says in which order is added: a row as a counted ReduceSum adds it, rows one after another.
template <bool alongRows, typename T>
void SumAxis(T* to, const T* from, const Rows& rows) {
    if constexpr (alongRows) {
        for (uint32_t row = 0; row < rows.count; ++row) {
            to[row] = SumOfAll<true>(from + uint64_t{row} * rows.pitch, LayoutOf<T>(1, 8),
                                     Lanes(uint64_t{rows.used}, kRepeatBytes / sizeof(T)));
        }
    } else {
        for (uint32_t column = 0; column < rows.used; ++column) {
            to[column] = from[column];
            for (uint32_t row = 1; row < rows.count; ++row) {
                to[column] = Sum(to[column], from[uint64_t{row} * rows.pitch + column]);
            }
        }
    }
}

// A null space: the function takes its own from the rest of UB.
template <typename Pattern, bool isReuseSource, typename T>
void ReduceAxis(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                const AscendC::LocalTensor<uint8_t>* space, const uint32_t* shape, bool innerPad,
                CallSite where) {
    ASCENDSIM_DTYPES("ReduceSum", T, float);
    constexpr bool kAlongRows = std::is_same_v<Pattern, AscendC::Pattern::Reduce::AR>;
    static_assert(kAlongRows || std::is_same_v<Pattern, AscendC::Pattern::Reduce::RA>,
                  "ReduceSum takes the patterns AR and RA");
    constexpr uint32_t kPerBlock = kUbBlock / sizeof(T);
    const Rows rows{shape[0], shape[1], (shape[1] + kPerBlock - 1) / kPerBlock * kPerBlock};
    {
        const VectorCall call{"ReduceSum", where};
        if (!innerPad) {
            Stop(Code::ArgumentRange, {where, "V"},
                 "ReduceSum of rows without srcInnerPad, it is true");
        }
        if (rows.count == 0 || rows.used == 0) {
            Stop(Code::ArgumentRange, {where, "V"}, "ReduceSum of (%u, %u), at least (1, 1)",
                 rows.count, rows.used);
        }
        const uint32_t results = kAlongRows ? rows.count : rows.used;
        const uint64_t bytes = BytesOf<T>(rows);
        CheckApart(dst, results * sizeof(T), src.UbAddress(), bytes, call);
        CheckSpaceApart(space, src, bytes, call);
        CheckSpaceApart(space, dst, results * sizeof(T), call);
        ClobberSpace(space, call);
        const T* from = VectorOperand(src, rows.Used(), call);
        if (isReuseSource) {
            [[maybe_unused]] const T* used = Written(src, rows.Used(), call);
        }
        T* to = VectorOperand(dst, results, call);
        call.Perform([=] { SumAxis<kAlongRows>(to, from, rows); });
    }
    LeaveSpaceUndefined(space, {"ReduceSum", where});
    if (isReuseSource) {
        LeaveUndefined(src, uint64_t{rows.count} * rows.pitch, 0, 0, {"ReduceSum", where});
    }
}

}  // namespace ascendsim

namespace AscendC {

// The working space, all of it, holds anything afterwards, and so does the source that is reused.
template <class T, class pattern, bool isReuseSource = false>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[],
               bool srcInnerPad, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::ReduceAxis<pattern, isReuseSource>(dst, src, &sharedTmpBuffer, srcShape, srcInnerPad,
                                                  where);
}

template <class T, class pattern, bool isReuseSource = false>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t srcShape[],
               bool srcInnerPad, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::ReduceAxis<pattern, isReuseSource>(dst, src, nullptr, srcShape, srcInnerPad, where);
}

}  // namespace AscendC
