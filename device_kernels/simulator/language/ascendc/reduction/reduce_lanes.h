// What reductions compute of the active lanes of a repeat.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "../arithmetic/numbers.h"
#include "../vocabulary/repeat.h"

namespace ascendsim {

// Up to 128 lanes of one repeat: their values, and which of them take part.
template <typename T>
struct RepeatValues {
    static constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);
    std::array<T, kLanes> values;
    std::array<bool, kLanes> active{};

    RepeatValues(const T* elements, const LaneLayout& layout, const Lanes& lanes, uint32_t repeat) {
        lanes.ForEachOf(repeat, [&](uint32_t lane) {
            values[lane] = elements[layout.Offset(repeat, lane)];
            active[lane] = true;
        });
    }
};

// The sum of lanes [first, first + count), a power of two of them, as a binary tree of neighbours;
// every addition rounds to T. A lane that takes no part adds nothing. Returns whether one does.
template <typename T>
bool TreeSum(const RepeatValues<T>& repeat, uint32_t first, uint32_t count, T& sum) {
    std::array<T, RepeatValues<T>::kLanes> values;
    std::array<bool, RepeatValues<T>::kLanes> active;
    for (uint32_t lane = 0; lane < count; ++lane) {
        values[lane] = repeat.values[first + lane];
        active[lane] = repeat.active[first + lane];
    }
    for (uint32_t left = count / 2; left != 0; left /= 2) {
        for (uint32_t lane = 0; lane < left; ++lane) {
            const uint32_t pair = 2 * lane;
            const T second = values[pair + 1];
            const bool both = active[pair] && active[pair + 1];
            values[lane] = both ? Sum(values[pair], second) : active[pair] ? values[pair] : second;
            active[lane] = active[pair] || active[pair + 1];
        }
    }
    sum = values[0];
    return active[0];
}

// The first largest (or smallest) of the active lanes [first, first + count). Returns its lane, or
// `first + count` where none takes part. A NaN is neither larger nor smaller than anything.
template <typename T, typename Better>
uint32_t Extreme(const RepeatValues<T>& repeat, uint32_t first, uint32_t count, Better better) {
    uint32_t best = first + count;
    for (uint32_t lane = first; lane < first + count; ++lane) {
        const bool found = best != first + count;
        if (repeat.active[lane] && (!found || better(repeat.values[lane], repeat.values[best]))) {
            best = lane;
        }
    }
    return best;
}

struct IsLarger {
    template <typename T>
    bool operator()(T one, T other) const {
        return one > other;
    }
};
struct IsSmaller {
    template <typename T>
    bool operator()(T one, T other) const {
        return one < other;
    }
};

// An index as it is stored among values of T: an unsigned integer of T's size.
template <typename T>
T StoredIndex(uint32_t index) {
    if constexpr (sizeof(T) == 2) {
        return std::bit_cast<T>(static_cast<uint16_t>(index));
    } else {
        return std::bit_cast<T>(index);
    }
}

// Requires that no repeat writes what a later one reads: repeat r writes `written` elements from
// r * `stride` on, and reads what `layout` says, before it writes.
template <typename T>
void CheckReduceOverlap(const AscendC::LocalTensor<T>& dst, uint64_t stride, uint32_t written,
                        const AscendC::LocalTensor<T>& src, const LaneLayout& layout,
                        const Lanes& lanes, const VectorCall& call) {
    const uint64_t repeats = lanes.Repeats();
    const uint64_t from = src.UbAddress();
    const uint64_t end = from + lanes.Extent(layout) * sizeof(T);
    const uint64_t to = dst.UbAddress();
    if (repeats <= 1 || to >= end || to + ((repeats - 1) * stride + written) * sizeof(T) <= from) {
        return;
    }
    for (uint64_t earlier = 0; earlier + 1 < repeats; ++earlier) {
        const uint64_t start = to + earlier * stride * sizeof(T);
        const uint64_t stop = start + written * sizeof(T);
        for (auto later = static_cast<uint32_t>(earlier + 1); later < repeats; ++later) {
            lanes.ForEachOf(later, [&](uint32_t lane) {
                const uint64_t read = from + uint64_t{layout.Offset(later, lane)} * sizeof(T);
                if (read < stop && read + sizeof(T) > start) {
                    Stop(Code::OperandOverlap, {call.where, "V", start},
                         "%s writes UB [%llu, %llu), which its repeat %u still has to read",
                         call.name, static_cast<unsigned long long>(start),
                         static_cast<unsigned long long>(stop), later);
                }
            });
        }
    }
}

}  // namespace ascendsim
