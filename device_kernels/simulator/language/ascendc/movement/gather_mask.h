// GatherMask: the elements of each repeat that a pattern of bits chooses, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "../arithmetic/sixteen_bit.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"
#include "gather.h"

#define ASCENDSIM_GATHER_MASK_DTYPES(T) \
    ASCENDSIM_DTYPES("GatherMask", T, half, bfloat16_t, uint16_t, int16_t, float, uint32_t, int32_t)

namespace AscendC {

// Strides in 32-byte blocks, from start to start; those of src1 are for a pattern in UB.
struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(ascendsim::Field<uint8_t> src0BlockStride,
                     ascendsim::Field<uint16_t> repeatTimes,
                     ascendsim::Field<uint16_t> src0RepeatStride,
                     ascendsim::Field<uint8_t> src1RepeatStride)
        : src0BlockStride(src0BlockStride),
          repeatTimes(repeatTimes),
          src0RepeatStride(src0RepeatStride),
          src1RepeatStride(src1RepeatStride) {}

    ascendsim::Field<uint8_t> src0BlockStride = 1;
    ascendsim::Field<uint16_t> repeatTimes = 0;
    ascendsim::Field<uint16_t> src0RepeatStride = 0;
    ascendsim::Field<uint8_t> src1RepeatStride = 0;
};

enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };
inline constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V1;

}  // namespace AscendC

namespace ascendsim {

// The elements that one repeat looks at: 256 bytes, or `mask` elements in counter mode, which may
// be more.
template <typename T>
uint32_t GatherMaskLength(bool reduceMode, uint32_t mask, const VectorCall& call) {
    if (reduceMode && mask == 0) {
        Stop(Code::ArgumentRange, {call.where, "V"},
             "GatherMask in counter mode with mask 0, at least 1");
    }
    return reduceMode ? mask : kRepeatBytes / sizeof(T);
}

// Whether one of the seven fixed patterns chooses an element: even, odd, each of four, all.
constexpr bool PatternChooses(uint32_t pattern, uint32_t element) {
    if (pattern <= 2) {
        return element % 2 == pattern - 1;
    }
    return pattern == 7 || element % 4 == pattern - 3;
}

// Calls `chooses(repeat, element)` for each element, and moves those that it chooses.
template <typename T, typename Chooses>
uint64_t GatherChosen(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                      uint32_t length, const AscendC::GatherMaskParams& params,
                      const VectorCall& call, Chooses chooses) {
    const auto layout = LayoutOf<T>(params.src0BlockStride, params.src0RepeatStride);
    std::vector<Piece> chosen;
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        // All elements of the repeat are looked at, the result depends on those that are chosen.
        const auto first = static_cast<int64_t>(layout.Offset(repeat, 0));
        const uint32_t extent = layout.Offset(0, length - 1) + 1;
        PlacedOperand(src[PlacedIndex(first, call.where)], extent, call);
        for (uint32_t element = 0; element < length; ++element) {
            if (chooses(repeat, element)) {
                chosen.push_back({first + layout.Offset(0, element), 1});
            }
        }
    }
    std::vector<T> elements = ElementsOf(src, chosen, call);
    T* to = VectorOperand(dst, chosen.size(), call);
    call.Perform(
        [to, elements = std::move(elements)] { std::copy(elements.begin(), elements.end(), to); });
    // The instruction leaves the mask in normal mode.
    CurrentCore().registers.mask.counts = false;
    return chosen.size();
}

}  // namespace ascendsim

namespace AscendC {

// `src1Pattern` has one bit for each element of a repeat. `rsvdCnt` is told how many were chosen.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                const LocalTensor<U>& src1Pattern, bool reduceMode, uint32_t mask,
                const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
                ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_GATHER_MASK_DTYPES(T);
    static_assert(std::is_same_v<U, std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>,
                  "GatherMask takes a pattern of uint16_t for 16-bit dtypes, else of uint32_t");
    constexpr uint32_t kBits = 8 * sizeof(U);
    const ascendsim::VectorCall call{"GatherMask", where};
    call.RunNow();
    const uint32_t length = ascendsim::GatherMaskLength<T>(reduceMode, mask, call);
    const uint32_t words = (length + kBits - 1) / kBits;
    const uint32_t stride = gatherMaskParams.src1RepeatStride * ascendsim::kUbBlock / sizeof(U);
    const uint32_t repeats = gatherMaskParams.repeatTimes;
    const uint32_t extent = repeats == 0 ? 0 : (repeats - 1) * stride + words;
    const U* pattern =
        ascendsim::VectorOperand(src1Pattern, extent, call).InUnits(extent * sizeof(U));
    rsvdCnt = ascendsim::GatherChosen(
        dst, src0, length, gatherMaskParams, call, [=](uint32_t repeat, uint32_t element) {
            return (pattern[repeat * stride + element / kBits] >> element % kBits & 1) != 0;
        });
}

// Fixed patterns: 1 even, 2 odd, 3 to 6 the first to fourth of each four, 7 all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, uint8_t src1Pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams& gatherMaskParams,
                uint64_t& rsvdCnt, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_GATHER_MASK_DTYPES(T);
    const ascendsim::VectorCall call{"GatherMask", where};
    call.RunNow();
    if (src1Pattern < 1 || src1Pattern > 7) {
        ascendsim::Stop(ascendsim::Code::ArgumentRange, {where, "V"},
                        "GatherMask with pattern %u, it is 1 to 7", src1Pattern);
    }
    const uint32_t length = ascendsim::GatherMaskLength<T>(reduceMode, mask, call);
    rsvdCnt = ascendsim::GatherChosen(dst, src0, length, gatherMaskParams, call,
                                      [=](uint32_t, uint32_t element) {
                                          return ascendsim::PatternChooses(src1Pattern, element);
                                      });
}

}  // namespace AscendC
