// MrgSort: two to four lists of sorted pairs become one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "../../engine/schedule/core.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "sort.h"
#include "sort_entries.h"

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& src1, const LocalTensor<T>& src2,
                   const LocalTensor<T>& src3, const LocalTensor<T>& src4)
        : src1(src1), src2(src2), src3(src3), src4(src4) {}

    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

// The lengths in pairs, whether to stop when the first list ends, which lists there are (3, 7 or
// 15), and how many merges of four neighbouring lists of one length to do.
struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t* elementLengths, bool ifExhaustedSuspension, uint16_t validBit,
                 uint16_t repeatTimes)
        : elementLengths{elementLengths[0], elementLengths[1], elementLengths[2],
                         elementLengths[3]},
          ifExhaustedSuspension(ifExhaustedSuspension),
          validBit(validBit),
          repeatTimes(repeatTimes) {}

    uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint16_t repeatTimes = 1;
};

}  // namespace AscendC

namespace ascendsim {

inline constexpr uint32_t kMostMerged = 4095;

// One list during a merge.
struct MergeSource {
    const uint8_t* memory = nullptr;
    uint32_t length = 0;
    uint32_t taken = 0;
    uint32_t key = 0;  // of the next pair

    template <typename T>
    void Look() {
        if (taken < length) {
            T score;
            std::memcpy(&score, memory + taken * uint64_t{kSortEntryBytes}, sizeof(T));
            key = SortKey(score);
        }
    }
};

// Merges into `to` and returns the number of pairs written: of equal scores, those of the earlier
// list come first.
template <typename T>
uint32_t Merge(uint8_t* to, std::array<MergeSource, 4>& lists, uint32_t used, bool stopsAtFirst) {
    for (uint32_t list = 0; list < used; ++list) {
        lists[list].template Look<T>();
    }
    const auto ended = [](const MergeSource& list) { return list.taken == list.length; };
    uint32_t written = 0;
    while (!(stopsAtFirst && std::any_of(lists.begin(), lists.begin() + used, ended))) {
        MergeSource* best = nullptr;
        for (uint32_t list = 0; list < used; ++list) {
            if (!ended(lists[list]) && (best == nullptr || lists[list].key > best->key)) {
                best = &lists[list];
            }
        }
        if (best == nullptr) {
            break;
        }
        std::memcpy(to + written * uint64_t{kSortEntryBytes},
                    best->memory + best->taken * uint64_t{kSortEntryBytes}, kSortEntryBytes);
        ++written;
        ++best->taken;
        best->template Look<T>();
    }
    return written;
}

inline uint32_t CheckMerge(const AscendC::MrgSort4Info& info, const VectorCall& call) {
    const Spot spot{call.where, "V"};
    if (info.validBit != 3 && info.validBit != 7 && info.validBit != 15) {
        Stop(Code::ArgumentRange, spot, "MrgSort with validBit %u, it is 3, 7 or 15",
             info.validBit);
    }
    const auto used = static_cast<uint32_t>(std::popcount(info.validBit));
    for (uint32_t list = 0; list < used; ++list) {
        if (info.elementLengths[list] > kMostMerged) {
            Stop(Code::ArgumentRange, spot, "MrgSort of a list of %u pairs, at most %u",
                 info.elementLengths[list], kMostMerged);
        }
    }
    if (info.repeatTimes > 255) {
        Stop(Code::RepeatLimit, spot, "MrgSort with %u repeats, at most 255", info.repeatTimes);
    }
    return used;
}

// Requires what lets a merge repeat: four neighbouring lists of one length, merged to their ends.
template <typename T>
void CheckMergeRepeats(const std::array<const AscendC::LocalTensor<T>*, 4>& sources,
                       const AscendC::MrgSort4Info& info, const VectorCall& call) {
    const uint32_t length = info.elementLengths[0];
    bool repeats = info.validBit == 15 && !info.ifExhaustedSuspension;
    for (uint32_t list = 0; list < 4 && repeats; ++list) {
        repeats = info.elementLengths[list] == length &&
                  sources[list]->UbAddress() ==
                      sources[0]->UbAddress() + list * uint64_t{length} * kSortEntryBytes;
    }
    if (!repeats) {
        Stop(Code::ArgumentRange, {call.where, "V"},
             "MrgSort with %u repeats, which needs four neighbouring lists of one length, "
             "merged to their ends",
             info.repeatTimes);
    }
}

// Where a list may begin: pages of the interface ask for 8 bytes and for 32.
inline constexpr uint32_t kListAlignment = kSortEntryBytes;

template <typename T>
void RemarkListAlignment(const AscendC::LocalTensor<T>& list, const VectorCall& call) {
    if (kChecks && list.UbAddress() % kUbBlock != 0) {
        Remark(Code::MergeAlignment, {call.where, "V", list.UbAddress()},
               "%s of a list at UB address %llu, which is a multiple of 8 and none of 32",
               call.name, static_cast<unsigned long long>(list.UbAddress()));
    }
}

// The lists of the first repeat. Those of all repeats are one operand where there are several.
template <typename T>
std::array<MergeSource, 4> SourcesOf(const AscendC::LocalTensor<T>& dst,
                                     const AscendC::MrgSortSrcList<T>& src, uint32_t used,
                                     const AscendC::MrgSort4Info& info, const VectorCall& call) {
    const std::array<const AscendC::LocalTensor<T>*, 4> tensors{&src.src1, &src.src2, &src.src3,
                                                                &src.src4};
    uint32_t all = 0;
    for (uint32_t list = 0; list < used; ++list) {
        all += info.elementLengths[list] * info.repeatTimes;
    }
    if (info.repeatTimes > 1) {
        CheckMergeRepeats(tensors, info, call);
    }
    std::array<MergeSource, 4> lists;
    for (uint32_t list = 0; list < used; ++list) {
        const uint32_t length = info.elementLengths[list];
        lists[list].length = length;
        if (info.repeatTimes > 1 && list != 0) {
            lists[list].memory = lists[0].memory + uint64_t{list} * length * kSortEntryBytes;
            continue;
        }
        const uint32_t pairs = info.repeatTimes > 1 ? all : length;
        const T* memory =
            VectorOperand(*tensors[list], AscendC::GetSortLen<T>(pairs), call, kListAlignment);
        RemarkListAlignment(*tensors[list], call);
        lists[list].memory = reinterpret_cast<const uint8_t*>(memory);
        CheckApart(dst, uint64_t{all} * kSortEntryBytes, tensors[list]->UbAddress(),
                   uint64_t{pairs} * kSortEntryBytes, call);
    }
    return lists;
}

// The pairs that all repeats make of their lists, and what the last one took from each.
struct MergedPairs {
    std::vector<uint8_t> bytes;
    std::array<uint16_t, 4> counts{};

    void Store(void* to) const {
        if (!bytes.empty()) {
            std::memcpy(to, bytes.data(), bytes.size());
        }
        CurrentCore().registers.mergedCounts = counts;
    }
};

template <typename T>
MergedPairs Merged(std::array<MergeSource, 4> lists, uint32_t used, uint32_t repeats,
                   bool stopsAtFirst) {
    MergedPairs result;
    std::vector<uint8_t>& merged = result.bytes;
    const uint32_t pairs = lists[0].length + lists[1].length + lists[2].length + lists[3].length;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const size_t before = merged.size();
        merged.resize(before + uint64_t{pairs} * kSortEntryBytes);
        const uint32_t written = Merge<T>(merged.data() + before, lists, used, stopsAtFirst);
        merged.resize(before + uint64_t{written} * kSortEntryBytes);
        for (uint32_t list = 0; list < 4; ++list) {
            result.counts[list] = static_cast<uint16_t>(lists[list].taken);
            lists[list].memory += uint64_t{pairs} * kSortEntryBytes;
            lists[list].taken = 0;
        }
    }
    return result;
}

// Where a merge stops early, only the pairs that it has merged are written: how many these are is
// known behind it. Without a repeat nothing happens.
template <typename T>
void MergeLists(const AscendC::LocalTensor<T>& dst, const AscendC::MrgSortSrcList<T>& src,
                const AscendC::MrgSort4Info& info, const VectorCall& call) {
    const uint32_t used = CheckMerge(info, call);
    if (info.repeatTimes == 0) {
        return;
    }
    const std::array<MergeSource, 4> lists = SourcesOf(dst, src, used, info, call);
    const auto merge = [lists, used, repeats = info.repeatTimes,
                        stops = info.ifExhaustedSuspension] {
        return Merged<T>(lists, used, repeats, stops);
    };
    if constexpr (kChecks) {
        LeaveCounts(call.AsDoer());
    }
    if (info.ifExhaustedSuspension) {
        call.RunNow();
        MergedPairs merged = merge();
        const uint64_t bytes = merged.bytes.size();
        T* to = VectorOperand(dst, bytes / sizeof(T), call).InUnits(bytes);
        call.Perform([to, merged = std::move(merged)] { merged.Store(to); });
        return;
    }
    uint64_t bytes = 0;
    for (const MergeSource& list : lists) {
        bytes += uint64_t{list.length} * info.repeatTimes * kSortEntryBytes;
    }
    T* to = VectorOperand(dst, bytes / sizeof(T), call).InUnits(bytes);
    call.Perform([=] { merge().Store(to); });
}

// What the register holds, where the scalar unit may read it.
inline std::array<uint16_t, 4> MergedCounts(const char* reader, CallSite where) {
    if constexpr (kChecks) {
        JudgeCounts({reader, "S", where});
    }
    return CurrentCore().registers.mergedCounts;
}

}  // namespace ascendsim

namespace AscendC {

template <typename T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SORT_DTYPES("MrgSort", T);
    ascendsim::MergeLists(dst, src, params, {"MrgSort", where});
}

// The pairs that the last MrgSort took from each list, by the scalar unit.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4,
                             ascendsim::CallSite where = ascendsim::CallSite::current()) {
    const auto counts = ascendsim::MergedCounts("GetMrgSortResult", where);
    mrgSortList1 = counts[0];
    mrgSortList2 = counts[1];
    mrgSortList3 = counts[2];
    mrgSortList4 = counts[3];
}

// With isExhaustedSuspension, `sortedNum` is told how many pairs were taken from each list: the
// scalar unit reads that at once, and nothing lets it wait for V.
template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
             const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
             int32_t repeatTime, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_SORT_DTYPES("MrgSort", T);
    const MrgSort4Info info(elementCountList, isExhaustedSuspension, validBit,
                            static_cast<uint16_t>(repeatTime));
    ascendsim::MergeLists(dst, sortList, info, {"MrgSort", where});
    if constexpr (isExhaustedSuspension) {
        const auto counts = ascendsim::MergedCounts("MrgSort", where);
        std::copy(counts.begin(), counts.end(), sortedNum);
    }
}

}  // namespace AscendC
