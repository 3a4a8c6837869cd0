// TopK: the k largest or smallest elements of every row, in order, with their indices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "../../kernel_tiling/kernel_tiling.h"
#include "../movement/rows.h"
#include "../vocabulary/dtype_table.h"
#include "sort_entries.h"

namespace AscendC {

// Any length of a row, or rows of 32.
enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };

// `outter` rows of `inner` elements, of which `n` are no padding.
struct TopKInfo {
    int32_t outter = 1;
    int32_t inner = 0;
    int32_t n = 0;
};

}  // namespace AscendC

namespace ascendsim {

inline void CheckTopK(const AscendC::TopKInfo& info, int32_t k, bool small,
                      const VectorCall& call) {
    const int32_t most = small ? 32 : 4096;
    if (info.outter < 1 || info.inner < 32 || info.inner % 32 != 0 || info.inner > most ||
        info.n < 1 || info.n > info.inner || k < 1 || k > info.n) {
        Stop(
            Code::ArgumentRange, {call.where, "V"},
            "TopK of %d rows of %d elements, %d without padding, with k = %d: a row has a multiple "
            "of 32 elements, at most %d, and 1 <= k <= n",
            info.outter, info.inner, info.n, k, most);
    }
}

// The places of a row's elements from first to last. A NaN is before all others in either
// direction; equal elements keep their order.
template <typename T>
std::vector<uint32_t> PlacesInOrder(const T* row, uint32_t count, bool largest) {
    std::vector<uint32_t> keys(count);
    for (uint32_t at = 0; at < count; ++at) {
        const auto value = static_cast<float>(row[at]);
        keys[at] = value != value ? ~0u : SortKey(largest ? value : -value);
    }
    std::vector<uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0u);
    std::stable_sort(places.begin(), places.end(),
                     [&keys](uint32_t one, uint32_t other) { return keys[one] > keys[other]; });
    return places;
}

struct TopKShape {
    AscendC::TopKInfo info;
    uint32_t k;
    bool small;      // TOPK_NSMALL: results lie without gaps, every row has indices of its own
    bool hasIndex;   // else an index is the place in the row
    bool hasFinish;  // rows that are told to be finished have index n everywhere
    bool largest;

    // Results of a row begin at a multiple of 32 bytes.
    template <typename T>
    Rows Results() const {
        constexpr uint32_t kPerBlock = kUbBlock / sizeof(T);
        const uint32_t pitch = small ? k : (k + kPerBlock - 1) / kPerBlock * kPerBlock;
        return {static_cast<uint32_t>(info.outter), k, pitch};
    }
    uint32_t Rows() const { return static_cast<uint32_t>(info.outter); }
    uint32_t Length() const { return static_cast<uint32_t>(info.inner); }
    uint64_t Indices() const { return uint64_t{small ? Rows() : 1} * Length(); }
};

// Results are put together before the first one is written: a result may replace its source.
template <typename T>
void TopKOf(const AscendC::LocalTensor<T>& values, const AscendC::LocalTensor<int32_t>& indices,
            const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<int32_t>& srcIndex,
            const AscendC::LocalTensor<bool>& finished, const TopKShape& shape,
            const VectorCall& call) {
    const auto toValues = shape.Results<T>();
    const auto toIndices = shape.Results<int32_t>();
    const uint64_t elements = uint64_t{shape.Rows()} * shape.Length();
    const T* from =
        VectorOperand(src, elements, call).InUnits(uint64_t{shape.Length()} * sizeof(T));
    const int32_t* numbers = nullptr;
    if (shape.hasIndex) {
        numbers = VectorOperand(srcIndex, shape.Indices(), call)
                      .InUnits(uint64_t{shape.Length()} * sizeof(int32_t));
        CheckSameOrApart(indices, BytesOf<int32_t>(toIndices), srcIndex,
                         shape.Indices() * sizeof(int32_t), call);
    }
    const bool* ends = nullptr;
    if (shape.hasFinish) {
        ends = VectorOperand(finished, shape.Rows(), call);
    }
    CheckSameOrApart(values, BytesOf<T>(toValues), src, elements * sizeof(T), call);
    T* best = VectorOperand(values, toValues.Used(), call).InUnits(uint64_t{shape.k} * sizeof(T));
    int32_t* found =
        VectorOperand(indices, toIndices.Used(), call).InUnits(uint64_t{shape.k} * sizeof(int32_t));
    [[maybe_unused]] const T* valuesRest = Written(values, toValues.Rest(), call);
    [[maybe_unused]] const int32_t* indicesRest = Written(indices, toIndices.Rest(), call);

    call.Perform([=] {
        std::vector<T> bestOfAll;
        std::vector<int32_t> foundOfAll;
        for (uint32_t row = 0; row < shape.Rows(); ++row) {
            const T* elementsOfRow = from + uint64_t{row} * shape.Length();
            const int32_t* numbersOfRow =
                shape.hasIndex ? numbers + (shape.small ? uint64_t{row} * shape.Length() : 0)
                               : nullptr;
            const auto places = PlacesInOrder(elementsOfRow, shape.Length(), shape.largest);
            const bool ended = shape.hasFinish && ends[row];
            for (uint32_t rank = 0; rank < shape.k; ++rank) {
                const uint32_t place = places[rank];
                bestOfAll.push_back(elementsOfRow[place]);
                const auto number =
                    shape.hasIndex ? numbersOfRow[place] : static_cast<int32_t>(place);
                foundOfAll.push_back(ended ? shape.info.n : number);
            }
        }
        for (uint32_t row = 0; row < shape.Rows(); ++row) {
            const uint64_t first = uint64_t{row} * shape.k;
            std::copy_n(&bestOfAll[first], shape.k, best + uint64_t{row} * toValues.pitch);
            std::copy_n(&foundOfAll[first], shape.k, found + uint64_t{row} * toIndices.pitch);
        }
    });
}

template <bool hasIndex, bool hasFinish, bool small, typename T>
void TopKCall(const AscendC::LocalTensor<T>& values, const AscendC::LocalTensor<int32_t>& indices,
              const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<int32_t>& srcIndex,
              const AscendC::LocalTensor<bool>& finished,
              const AscendC::LocalTensor<uint8_t>* space, int32_t k, const AscendC::TopKInfo& info,
              bool largest, CallSite where) {
    ASCENDSIM_DTYPES("TopK", T, half, float);
    static_assert(!(small && hasFinish), "TopK has no finished rows in TOPK_NSMALL");
    const TopKShape shape{info, static_cast<uint32_t>(k), small, hasIndex, hasFinish, largest};
    {
        const VectorCall call{"TopK", where};
        CheckTopK(info, k, small, call);
        CheckSpaceApart(space, src, uint64_t{shape.Rows()} * shape.Length() * sizeof(T), call);
        CheckSpaceApart(space, values, BytesOf<T>(shape.Results<T>()), call);
        CheckSpaceApart(space, indices, BytesOf<int32_t>(shape.Results<int32_t>()), call);
        ClobberSpace(space, call);
        TopKOf(values, indices, src, srcIndex, finished, shape, call);
    }
    LeaveRestUndefined(values, shape.Results<T>(), {"TopK", where});
    LeaveRestUndefined(indices, shape.Results<int32_t>(), {"TopK", where});
    LeaveSpaceUndefined(space, {"TopK", where});
}

}  // namespace ascendsim

namespace AscendC {

template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValue, const LocalTensor<int32_t>& dstIndex,
          const LocalTensor<T>& src, const LocalTensor<int32_t>& srcIndex,
          const LocalTensor<bool>& finish, const LocalTensor<uint8_t>& tmp, int32_t k,
          const TopkTiling&, const TopKInfo& topKInfo, bool isLargest = true,
          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::TopKCall<isInitIndex, isHasfinish, topkMode == TopKMode::TOPK_NSMALL>(
        dstValue, dstIndex, src, srcIndex, finish, &tmp, k, topKInfo, isLargest, where);
}

// With working space that the function takes from the rest of UB.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValue, const LocalTensor<int32_t>& dstIndex,
          const LocalTensor<T>& src, const LocalTensor<int32_t>& srcIndex,
          const LocalTensor<bool>& finish, int32_t k, const TopkTiling&, const TopKInfo& topKInfo,
          bool isLargest = true, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::TopKCall<isInitIndex, isHasfinish, topkMode == TopKMode::TOPK_NSMALL>(
        dstValue, dstIndex, src, srcIndex, finish, nullptr, k, topKInfo, isLargest, where);
}

}  // namespace AscendC
