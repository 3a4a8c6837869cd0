// ReduceSum, ReduceMax and ReduceMin: all elements become one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../arithmetic/sixteen_bit.h"
#include "../tensors/pieces.h"
#include "../vocabulary/dtype_table.h"
#include "reduce_lanes.h"
#include "repeat_reduce.h"

namespace ascendsim {

// Elements of working space that a reduction of `repeats` repeats needs, `perRepeat` for each,
// rounded up to 32 bytes.
template <typename T>
constexpr uint64_t WorkElements(uint64_t repeats, uint32_t perRepeat) {
    constexpr uint64_t kPerBlock = kUbBlock / sizeof(T);
    return (repeats * perRepeat + kPerBlock - 1) / kPerBlock * kPerBlock;
}

// Repeats beyond 255 are split inside these functions. Without any they do nothing.
inline uint32_t CheckRepeats(int32_t repeats, const VectorCall& call) {
    if (repeats < 0) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with %d repeats, at least 0", call.name,
             repeats);
    }
    return static_cast<uint32_t>(repeats);
}

// These functions are several instructions: what an empty mask makes of them, no page says.
template <typename T>
Lanes LanesOf(LaneMask mask, int32_t repeats, const VectorCall& call) {
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    const Lanes lanes(mask.Bits(kLanes, call), CheckRepeats(repeats, call), kLanes);
    if (lanes.Repeats() == 0 && repeats != 0) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with a mask without a lane, at least 1",
             call.name);
    }
    return lanes;
}

// Elements from first to last in one repeat after the other.
template <typename T>
Lanes LanesOf(int32_t count, const VectorCall& call) {
    if (count < 0) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with a count of %d, at least 0", call.name,
             count);
    }
    return Lanes(static_cast<uint64_t>(count), kRepeatBytes / sizeof(T));
}

// Each repeat is summed as a tree. The sums of repeats are added one after the other where a count
// was given, and as trees of `lanes` neighbours again where repeats were.
template <bool inOrder, typename T>
T SumOfAll(const T* from, const LaneLayout& layout, const Lanes& lanes) {
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    std::vector<T> sums(lanes.Repeats());
    for (uint32_t repeat = 0; repeat < lanes.Repeats(); ++repeat) {
        TreeSum(RepeatValues<T>(from, layout, lanes, repeat), 0, kLanes, sums[repeat]);
    }
    if constexpr (inOrder) {
        T sum = sums[0];
        for (uint32_t repeat = 1; repeat < lanes.Repeats(); ++repeat) {
            sum = Sum(sum, sums[repeat]);
        }
        return sum;
    } else {
        if (sums.size() == 1) {
            return sums[0];
        }
        return SumOfAll<false>(sums.data(), LayoutOf<T>(1, 8), Lanes(sums.size(), kLanes));
    }
}

// The working space, which may be the source's own or the result's, holds anything afterwards. A
// count needs none.
template <bool inOrder, typename T>
void ReduceSumOf(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                 const AscendC::LocalTensor<T>& work, const LaneLayout& layout, const Lanes& lanes,
                 CallSite where) {
    if (lanes.Repeats() == 0) {
        return;
    }
    const uint64_t needed = inOrder ? 0 : WorkElements<T>(lanes.Repeats(), 1);
    {
        const VectorCall call{"ReduceSum", where};
        const T* from = VectorOperand(src, lanes, layout, call);
        [[maybe_unused]] const T* used = inOrder ? nullptr : Clobbered(work, needed, call);
        T* to = VectorOperand(dst, 1, call, sizeof(T));
        call.Perform([=] { *to = SumOfAll<inOrder>(from, layout, lanes); });
    }
    if constexpr (!inOrder) {
        LeaveUndefined(work, needed, dst.UbAddress(), sizeof(T), {"ReduceSum", where});
    }
}

// With an index, the pairs of each round stay until the last one: three rounds are enough.
template <typename T>
uint64_t ExtremeWorkElements(uint64_t repeats, bool calIndex) {
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    uint64_t needed = WorkElements<T>(repeats, 2);
    for (int rounds = 1; calIndex && rounds < 3; ++rounds) {
        repeats = (repeats * 2 + kLanes - 1) / kLanes;
        needed += WorkElements<T>(repeats, 2);
    }
    return needed;
}

// The first best of all active elements, and its index: that counts active and inactive elements as
// they lie in one repeat after the other.
template <typename Better, typename T>
std::pair<T, uint32_t> ExtremeOf(const T* from, const LaneLayout& layout, const Lanes& lanes) {
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    std::pair<T, uint32_t> best{};
    for (uint32_t repeat = 0; repeat < lanes.Repeats(); ++repeat) {
        const RepeatValues<T> values(from, layout, lanes, repeat);
        const uint32_t lane = Extreme(values, 0, kLanes, Better{});
        if (repeat == 0 || Better{}(values.values[lane], best.first)) {
            best = {values.values[lane], repeat * kLanes + lane};
        }
    }
    return best;
}

inline void CheckIndex(uint32_t index, const VectorCall& call) {
    if (index > 65535) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s of half finds index %u, it has 16 bits",
             call.name, index);
    }
}

template <typename Better, typename T>
void ReduceExtreme(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   const AscendC::LocalTensor<T>& work, const LaneLayout& layout,
                   const Lanes& lanes, bool calIndex, const char* name, CallSite where) {
    if (lanes.Repeats() == 0) {
        return;
    }
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    const uint64_t needed = ExtremeWorkElements<T>(lanes.Repeats(), calIndex);
    {
        const VectorCall call{name, where};
        const T* from = VectorOperand(src, lanes, layout, call);
        [[maybe_unused]] const T* used = Clobbered(work, needed, call);
        T* to = VectorOperand(dst, calIndex ? 2 : 1, call, 2 * sizeof(T)).InUnits(2 * sizeof(T));
        if (sizeof(T) == 2 && calIndex && lanes.Repeats() * kLanes > 65536) {
            call.RunNow();
            CheckIndex(ExtremeOf<Better>(from, layout, lanes).second, call);
        }
        call.Perform([=] {
            const auto [best, index] = ExtremeOf<Better>(from, layout, lanes);
            to[0] = best;
            if (calIndex) {
                to[1] = StoredIndex<T>(index);
            }
        });
    }
    const uint64_t kept = (calIndex ? 2 : 1) * sizeof(T);
    LeaveUndefined(work, needed, dst.UbAddress(), kept, {name, where});
}

}  // namespace ascendsim

namespace AscendC {

// dst[0] is the sum of `count` elements. The working space is not used.
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<T>& sharedTmpBuffer, int32_t count,
               ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_REDUCE_DTYPES("ReduceSum", T);
    const ascendsim::VectorCall call{"ReduceSum", where};
    ascendsim::ReduceSumOf<true>(dst, src, sharedTmpBuffer, ascendsim::LayoutOf<T>(1, 8),
                                 ascendsim::LanesOf<T>(count, call), where);
}

template <typename T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<T>& sharedTmpBuffer, ascendsim::LaneMask mask, int32_t repeatTime,
               int32_t srcRepStride, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_REDUCE_DTYPES("ReduceSum", T);
    const ascendsim::VectorCall call{"ReduceSum", where};
    const auto layout = ascendsim::LayoutOf<T>(1, ascendsim::CheckStride(srcRepStride, call));
    ascendsim::ReduceSumOf<false>(dst, src, sharedTmpBuffer, layout,
                                  ascendsim::LanesOf<T>(mask, repeatTime, call), where);
}

}  // namespace AscendC

// Defines Name(dst, src, sharedTmpBuffer, ...): dst[0] is the largest or smallest element, dst[1]
// with calIndex the index of the first of them, as an unsigned integer of T's size.
#define ASCENDSIM_REDUCE_EXTREME(Name, Better)                                                     \
    template <typename T>                                                                          \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                \
              const LocalTensor<T>& sharedTmpBuffer, int32_t count, bool calIndex = false,         \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                        \
        ASCENDSIM_REDUCE_DTYPES(#Name, T);                                                         \
        const ascendsim::VectorCall call{#Name, where};                                            \
        ascendsim::ReduceExtreme<ascendsim::Better>(                                               \
            dst, src, sharedTmpBuffer, ascendsim::LayoutOf<T>(1, 8),                               \
            ascendsim::LanesOf<T>(count, call), calIndex, #Name, where);                           \
    }                                                                                              \
    template <typename T>                                                                          \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                \
              const LocalTensor<T>& sharedTmpBuffer, ascendsim::LaneMask mask, int32_t repeatTime, \
              int32_t srcRepStride, bool calIndex = false,                                         \
              ascendsim::CallSite where = ascendsim::CallSite::current()) {                        \
        ASCENDSIM_REDUCE_DTYPES(#Name, T);                                                         \
        const ascendsim::VectorCall call{#Name, where};                                            \
        ascendsim::ReduceExtreme<ascendsim::Better>(                                               \
            dst, src, sharedTmpBuffer,                                                             \
            ascendsim::LayoutOf<T>(1, ascendsim::CheckStride(srcRepStride, call)),                 \
            ascendsim::LanesOf<T>(mask, repeatTime, call), calIndex, #Name, where);                \
    }

namespace AscendC {

ASCENDSIM_REDUCE_EXTREME(ReduceMax, IsLarger)
ASCENDSIM_REDUCE_EXTREME(ReduceMin, IsSmaller)

}  // namespace AscendC
