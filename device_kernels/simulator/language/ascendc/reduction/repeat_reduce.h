// WholeReduce, BlockReduce and PairReduce: each repeat, each 32-byte block or each pair of lanes
// becomes one value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../arithmetic/sixteen_bit.h"
#include "../tensors/pieces.h"
#include "../vocabulary/dtype_table.h"
#include "reduce_lanes.h"

namespace ascendsim {

// What a reduction reads and where its results go: `per` results of a repeat, one for each group of
// so many lanes (0: all are written), the next repeat's `dstRepStride` times that many elements
// further on.
struct ReduceShape {
    uint32_t per;
    uint32_t group;
    int32_t dstRepStride;
    int32_t srcBlkStride;
    int32_t srcRepStride;
};

inline uint32_t CheckStride(int32_t stride, const VectorCall& call) {
    if (stride < 0 || stride > 65535) {
        Stop(Code::ArgumentRange, {call.where, "V"}, "%s with a stride of %d, it is 0 to 65535",
             call.name, stride);
    }
    return static_cast<uint32_t>(stride);
}

// The results of all repeats: those of groups without an active lane keep their places.
inline std::vector<Piece> ResultsOf(const Lanes& lanes, const ReduceShape& shape, uint64_t stride) {
    std::vector<Piece> pieces;
    for (uint32_t repeat = 0; repeat < lanes.Repeats(); ++repeat) {
        const auto first = static_cast<int64_t>(repeat * stride);
        if (shape.group == 0) {
            pieces.push_back({first, shape.per});
            continue;
        }
        uint32_t before = shape.per;
        lanes.ForEachOf(repeat, [&](uint32_t lane) {
            const uint32_t group = lane / shape.group;
            if (group != before) {
                pieces.push_back({first + group, 1});
                before = group;
            }
        });
    }
    return pieces;
}

// Calls `body(results, values)` for each repeat: `results` is where its results begin.
template <bool isSetMask, typename T, typename Body>
void ReduceRepeats(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   LaneMask mask, RepeatTimes repeats, const ReduceShape& shape,
                   uint32_t dstAlignment, const VectorCall& call, Body body) {
    const Lanes lanes = ActiveLanes<isSetMask>(mask, repeats, kRepeatBytes / sizeof(T), call);
    const auto layout =
        LayoutOf<T>(CheckStride(shape.srcBlkStride, call), CheckStride(shape.srcRepStride, call));
    const uint64_t stride = uint64_t{CheckStride(shape.dstRepStride, call)} * shape.per;
    const std::vector<Piece> results = ResultsOf(lanes, shape, stride);
    uint64_t written = 0;
    for (const Piece& piece : results) {
        written += piece.count;
    }
    // The results of one repeat depend on its active lanes.
    const uint64_t repeatsOrOne = std::max<uint64_t>(lanes.Repeats(), 1);
    T* to =
        VectorOperand(dst, results, call, dstAlignment).InUnits(written * sizeof(T) / repeatsOrOne);
    const T* from = VectorOperand(src, lanes, layout, call).InUnits(lanes.ActiveOf(0) * sizeof(T));
    CheckReduceOverlap(dst, stride, shape.per, src, layout, lanes, call);
    call.Perform([=] {
        for (uint32_t repeat = 0; repeat < lanes.Repeats(); ++repeat) {
            body(to + repeat * stride, RepeatValues<T>(from, layout, lanes, repeat));
        }
    });
}

// A sum for each group of `group` lanes; where no lane of a group takes part, its result stays.
template <uint32_t group, typename T>
void SumGroups(T* results, const RepeatValues<T>& values) {
    for (uint32_t index = 0; index < RepeatValues<T>::kLanes / group; ++index) {
        T sum;
        if (TreeSum(values, index * group, group, sum)) {
            results[index] = sum;
        }
    }
}

template <typename Better, uint32_t group, typename T>
void ExtremeOfGroups(T* results, const RepeatValues<T>& values) {
    for (uint32_t index = 0; index < RepeatValues<T>::kLanes / group; ++index) {
        const uint32_t best = Extreme(values, index * group, group, Better{});
        if (best != (index + 1) * group) {
            results[index] = values.values[best];
        }
    }
}

}  // namespace ascendsim

#define ASCENDSIM_REDUCE_DTYPES(function, T) ASCENDSIM_DTYPES(function, T, half, float)

namespace AscendC {

// What WholeReduceMax and WholeReduceMin store of each repeat, in this order.
enum class ReduceOrder : uint8_t {
    ORDER_VALUE_INDEX,
    ORDER_INDEX_VALUE,
    ORDER_ONLY_VALUE,
    ORDER_ONLY_INDEX,
};

// dst[r * dstRepStride] is the sum of the active lanes of repeat r.
template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, ascendsim::LaneMask mask,
                    ascendsim::RepeatTimes repeatTime, int32_t dstRepStride, int32_t srcBlkStride,
                    int32_t srcRepStride,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_REDUCE_DTYPES("WholeReduceSum", T);
    const ascendsim::VectorCall call{"WholeReduceSum", where};
    ascendsim::ReduceRepeats<isSetMask>(
        dst, src, mask, repeatTime, {1, 0, dstRepStride, srcBlkStride, srcRepStride}, sizeof(T),
        call, [](T* results, const auto& values) {
            ascendsim::SumGroups<ascendsim::kRepeatBytes / sizeof(T)>(results, values);
        });
}

// One sum for each of the 8 blocks of a repeat; a block without an active lane keeps its place.
template <typename T, bool isSetMask = true>
void BlockReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                    ascendsim::RepeatTimes repeatTime, ascendsim::LaneMask mask,
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_REDUCE_DTYPES("BlockReduceSum", T);
    const ascendsim::VectorCall call{"BlockReduceSum", where};
    ascendsim::ReduceRepeats<isSetMask>(
        dst, src, mask, repeatTime,
        {8, ascendsim::kUbBlock / sizeof(T), dstRepStride, srcBlkStride, srcRepStride},
        8 * sizeof(T), call, [](T* results, const auto& values) {
            ascendsim::SumGroups<ascendsim::kUbBlock / sizeof(T)>(results, values);
        });
}

// One sum for each two neighbours of a repeat.
template <typename T, bool isSetMask = true>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                   ascendsim::RepeatTimes repeatTime, ascendsim::LaneMask mask,
                   int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                   ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_REDUCE_DTYPES("PairReduceSum", T);
    constexpr uint32_t kPairs = ascendsim::kRepeatBytes / sizeof(T) / 2;
    const ascendsim::VectorCall call{"PairReduceSum", where};
    ascendsim::ReduceRepeats<isSetMask>(
        dst, src, mask, repeatTime, {kPairs, 2, dstRepStride, srcBlkStride, srcRepStride},
        ascendsim::kUbBlock, call,
        [](T* results, const auto& values) { ascendsim::SumGroups<2>(results, values); });
}

}  // namespace AscendC

namespace ascendsim {

template <typename Better, bool isSetMask, typename T>
void BlockExtreme(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                  LaneMask mask, RepeatTimes repeats, const ReduceShape& shape,
                  const VectorCall& call) {
    ReduceRepeats<isSetMask>(dst, src, mask, repeats, shape, 8 * sizeof(T), call,
                             [](T* results, const auto& values) {
                                 ExtremeOfGroups<Better, kUbBlock / sizeof(T)>(results, values);
                             });
}

// An index alone takes 4 bytes.
template <typename Better, bool isSetMask, typename T>
void WholeExtreme(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                  LaneMask mask, RepeatTimes repeats, ReduceShape shape, AscendC::ReduceOrder order,
                  const VectorCall& call) {
    using AscendC::ReduceOrder;
    constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    const bool onlyIndex = order == ReduceOrder::ORDER_ONLY_INDEX;
    const bool onlyValue = order == ReduceOrder::ORDER_ONLY_VALUE;
    shape.per = onlyValue ? 1 : onlyIndex ? 4 / sizeof(T) : 2;
    const uint32_t alignment = onlyValue ? sizeof(T) : onlyIndex ? 4 : 2 * sizeof(T);
    ReduceRepeats<isSetMask>(
        dst, src, mask, repeats, shape, alignment, call, [=](T* results, const auto& values) {
            const uint32_t lane = Extreme(values, 0, kLanes, Better{});
            const T index = StoredIndex<T>(lane);
            if (onlyIndex) {
                results[0] = index;
                if constexpr (sizeof(T) == 2) {
                    results[1] = StoredIndex<T>(0);
                }
            } else if (onlyValue) {
                results[0] = values.values[lane];
            } else {
                const bool valueFirst = order == ReduceOrder::ORDER_VALUE_INDEX;
                results[valueFirst ? 0 : 1] = values.values[lane];
                results[valueFirst ? 1 : 0] = index;
            }
        });
}

}  // namespace ascendsim

// Defines the reductions to the first largest or smallest lane.
#define ASCENDSIM_EXTREME(Suffix, Better)                                                        \
    template <typename T, bool isSetMask = true>                                                 \
    void WholeReduce##Suffix(const LocalTensor<T>& dst, const LocalTensor<T>& src,               \
                             ascendsim::LaneMask mask, ascendsim::RepeatTimes repeatTime,        \
                             int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,   \
                             ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,                 \
                             ascendsim::CallSite where = ascendsim::CallSite::current()) {       \
        ASCENDSIM_REDUCE_DTYPES("WholeReduce" #Suffix, T);                                       \
        ascendsim::WholeExtreme<ascendsim::Better, isSetMask>(                                   \
            dst, src, mask, repeatTime, {2, 0, dstRepStride, srcBlkStride, srcRepStride}, order, \
            {"WholeReduce" #Suffix, where});                                                     \
    }                                                                                            \
    template <typename T, bool isSetMask = true>                                                 \
    void BlockReduce##Suffix(const LocalTensor<T>& dst, const LocalTensor<T>& src,               \
                             ascendsim::RepeatTimes repeatTime, ascendsim::LaneMask mask,        \
                             int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,   \
                             ascendsim::CallSite where = ascendsim::CallSite::current()) {       \
        ASCENDSIM_REDUCE_DTYPES("BlockReduce" #Suffix, T);                                       \
        ascendsim::BlockExtreme<ascendsim::Better, isSetMask>(                                   \
            dst, src, mask, repeatTime,                                                          \
            {8, ascendsim::kUbBlock / sizeof(T), dstRepStride, srcBlkStride, srcRepStride},      \
            {"BlockReduce" #Suffix, where});                                                     \
    }

namespace AscendC {

ASCENDSIM_EXTREME(Max, IsLarger)
ASCENDSIM_EXTREME(Min, IsSmaller)

}  // namespace AscendC
