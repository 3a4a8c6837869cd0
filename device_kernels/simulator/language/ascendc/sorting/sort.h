// Sort32 and Sort, with Concat before and Extract behind it: scores in falling order with their
// indices, equal scores in the order of the input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../tensors/pieces.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "sort_entries.h"

#define ASCENDSIM_SORT_DTYPES(function, T) ASCENDSIM_DTYPES(function, T, half, float)

namespace ascendsim {

// Pairs of `count` scores and indices, each 32 of them sorted, or all of them as one.
template <typename T>
void StoreSorted(uint8_t* to, const T* scores, const uint32_t* indices, uint32_t count,
                 bool asOne) {
    std::vector<SortEntry> entries(count);
    for (uint32_t at = 0; at < count; ++at) {
        entries[at] = MakeEntry(scores[at], indices[at]);
    }
    if (asOne) {
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& one, const auto& other) { return one.key > other.key; });
    } else {
        for (uint32_t at = 0; at < count; at += kSortedAtOnce) {
            SortRun(&entries[at], &entries[at] + kSortedAtOnce);
        }
    }
    for (uint32_t at = 0; at < count; ++at) {
        StoreEntry(to + at * uint64_t{kSortEntryBytes}, entries[at]);
    }
}

// Sorts `repeats` runs of 32 pairs, or all of them as one.
template <typename T>
void SortPairs(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& scores,
               const AscendC::LocalTensor<uint32_t>& indices, RepeatTimes repeats, bool asOne,
               const VectorCall& call) {
    const uint32_t count = repeats.Value() * kSortedAtOnce;
    const uint64_t bytes = uint64_t{count} * kSortEntryBytes;
    const uint64_t together = asOne ? count : kSortedAtOnce;  // pairs that are sorted as one
    T* to = VectorOperand(dst, bytes / sizeof(T), call).InUnits(together * kSortEntryBytes);
    const T* from = VectorOperand(scores, count, call).InUnits(together * sizeof(T));
    const uint32_t* index =
        VectorOperand(indices, count, call).InUnits(together * sizeof(uint32_t));
    CheckApart(dst, bytes, scores.UbAddress(), count * sizeof(T), call);
    CheckApart(dst, bytes, indices.UbAddress(), count * sizeof(uint32_t), call);
    call.Perform([=] { StoreSorted(reinterpret_cast<uint8_t*>(to), from, index, count, asOne); });
}

}  // namespace ascendsim

namespace AscendC {

// Sorts each 32 scores with their indices.
template <typename T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
            const LocalTensor<uint32_t>& src1, ascendsim::RepeatTimes repeatTime,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SORT_DTYPES("Sort32", T);
    ascendsim::SortPairs(dst, src0, src1, repeatTime, false, {"Sort32", where});
}

// On Ascend910B the scores are sorted as they lie: `concat` becomes another name of `src`.
template <typename T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& tmp,
            ascendsim::RepeatTimes repeatTime) {
    ASCENDSIM_SORT_DTYPES("Concat", T);
    static_cast<void>(tmp);
    static_cast<void>(repeatTime);
    concat = src;
}

// Sorts 32 * repeatTime scores as one, or each 32 of them. `tmp` holds anything afterwards.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat,
          const LocalTensor<uint32_t>& index, const LocalTensor<T>& tmp,
          ascendsim::RepeatTimes repeatTime,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SORT_DTYPES("Sort", T);
    const uint32_t elements =
        isFullSort ? GetSortLen<T>(repeatTime.Value() * ascendsim::kSortedAtOnce) : 0;
    {
        const ascendsim::VectorCall call{"Sort", where};
        ascendsim::SortPairs(dst, concat, index, repeatTime, isFullSort, call);
        [[maybe_unused]] const T* used = ascendsim::Clobbered(tmp, elements, call);
    }
    ascendsim::LeaveUndefined(tmp, elements, 0, 0, {"Sort", where});
}

// Takes 32 * repeatTime pairs apart.
template <typename T>
void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
             const LocalTensor<T>& sorted, ascendsim::RepeatTimes repeatTime,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SORT_DTYPES("Extract", T);
    const ascendsim::VectorCall call{"Extract", where};
    const uint32_t count = repeatTime.Value() * ascendsim::kSortedAtOnce;
    const uint64_t bytes = uint64_t{count} * ascendsim::kSortEntryBytes;
    T* values = ascendsim::VectorOperand(dstValue, count, call);
    uint32_t* indices = ascendsim::VectorOperand(dstIndex, count, call);
    const T* from = ascendsim::VectorOperand(sorted, GetSortLen<T>(count), call)
                        .InUnits(ascendsim::kSortEntryBytes);
    ascendsim::CheckApart(dstValue, count * sizeof(T), sorted.UbAddress(), bytes, call);
    ascendsim::CheckApart(dstIndex, count * sizeof(uint32_t), sorted.UbAddress(), bytes, call);
    call.Perform([=, memory = reinterpret_cast<const uint8_t*>(from)] {
        for (uint32_t at = 0; at < count; ++at) {
            const uint8_t* entry = memory + at * uint64_t{ascendsim::kSortEntryBytes};
            std::memcpy(&values[at], entry, sizeof(T));
            std::memcpy(&indices[at], entry + 4, sizeof(uint32_t));
        }
    });
}

}  // namespace AscendC
