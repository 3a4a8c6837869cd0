// The pairs of score and index that sorting instructions work on, and their order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../engine/memory/unified_buffer.h"
#include "../arithmetic/sixteen_bit.h"

namespace ascendsim {

// A pair takes 8 bytes: the score in the low ones (of half: 2, the next 2 are undefined), the index
// in the high 4.
inline constexpr uint32_t kSortEntryBytes = 8;
inline constexpr uint32_t kSortedAtOnce = 32;

// A number that is larger for a larger score. +0 and -0 are equal; a NaN is above infinity, or
// below -infinity where its sign bit is set.
template <typename T>
uint32_t SortKey(T score) {
    const auto value = static_cast<float>(score);
    const auto bits = std::bit_cast<uint32_t>(value == 0.0f ? 0.0f : value);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

// One entry as it lies in UB, with its key before it: sorting by key compares integers.
struct SortEntry {
    uint32_t key;
    uint32_t index;
    uint32_t score;  // its bits
};

template <typename T>
SortEntry MakeEntry(T score, uint32_t index) {
    uint32_t bits = kUbPoison * 0x10001u;  // as Poison fills what nothing defines
    std::memcpy(&bits, &score, sizeof(T));
    return {SortKey(score), index, bits};
}

template <typename T>
SortEntry LoadEntry(const uint8_t* memory) {
    T score;
    uint32_t index;
    std::memcpy(&score, memory, sizeof(T));
    std::memcpy(&index, memory + 4, sizeof index);
    return MakeEntry(score, index);
}

inline void StoreEntry(uint8_t* memory, const SortEntry& entry) {
    std::memcpy(memory, &entry.score, sizeof entry.score);
    std::memcpy(memory + 4, &entry.index, sizeof entry.index);
}

// Orders [first, last) by falling key, equal keys as they are: insertion into runs of 32, which is
// the fastest for so few.
inline void SortRun(SortEntry* first, SortEntry* last) {
    for (SortEntry* next = first + 1; next < last; ++next) {
        const SortEntry entry = *next;
        SortEntry* hole = next;
        for (; hole != first && hole[-1].key < entry.key; --hole) {
            *hole = hole[-1];
        }
        *hole = entry;
    }
}

}  // namespace ascendsim

namespace AscendC {

// Elements of T that `elemCount` sorted pairs take, and that lie before pair `elemOffset`.
template <typename T>
constexpr uint32_t GetSortLen(uint32_t elemCount) {
    return elemCount * static_cast<uint32_t>(ascendsim::kSortEntryBytes / sizeof(T));
}
template <typename T>
constexpr uint32_t GetSortOffset(uint32_t elemOffset) {
    return GetSortLen<T>(elemOffset);
}

}  // namespace AscendC
