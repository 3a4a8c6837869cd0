// Gather: elements of a tensor, each found by its offset.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../arithmetic/sixteen_bit.h"
#include "../tensors/pieces.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "../vocabulary/repeat.h"

#define ASCENDSIM_GATHER_DTYPES(T) \
    ASCENDSIM_DTYPES("Gather", T, int16_t, uint16_t, int32_t, uint32_t, float, half, bfloat16_t)

namespace ascendsim {

// The elements of a tensor at the byte offsets from `base` on, one piece for each.
template <typename T>
std::vector<Piece> PiecesAt(const AscendC::LocalTensor<T>& src, uint32_t base,
                            const std::vector<uint32_t>& offsets, const VectorCall& call) {
    std::vector<Piece> pieces;
    pieces.reserve(offsets.size());
    for (const uint32_t offset : offsets) {
        const uint64_t bytes = uint64_t{base} + offset;
        if (bytes % sizeof(T) != 0) {
            Stop(Code::OperandAlignment, {call.where, "V", src.UbAddress() + bytes},
                 "Gather with byte offset %llu, which is no multiple of its element, %zu bytes",
                 static_cast<unsigned long long>(bytes), sizeof(T));
        }
        pieces.push_back({static_cast<int64_t>(bytes / sizeof(T)), 1});
    }
    return pieces;
}

// The elements of these pieces, one after the other.
template <typename T>
std::vector<T> ElementsOf(const AscendC::LocalTensor<T>& src, const std::vector<Piece>& pieces,
                          const VectorCall& call) {
    const T* from = VectorOperand(src, pieces, call);
    std::vector<T> elements;
    elements.reserve(pieces.size());
    for (const Piece& piece : pieces) {
        elements.push_back(from[piece.first]);
    }
    return elements;
}

}  // namespace ascendsim

namespace AscendC {

// dst[i] is the element at srcBaseAddr + srcOffset[i] bytes of src.
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
            const LocalTensor<uint32_t>& srcOffset, uint32_t srcBaseAddr, uint32_t count,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_GATHER_DTYPES(T);
    const ascendsim::VectorCall call{"Gather", where};
    call.RunNow();
    const uint32_t* offset = ascendsim::VectorOperand(srcOffset, count, call);
    const auto pieces = ascendsim::PiecesAt(src, srcBaseAddr, {offset, offset + count}, call);
    auto gathered = ascendsim::ElementsOf(src, pieces, call);
    T* to = ascendsim::VectorOperand(dst, count, call);
    call.Perform(
        [to, gathered = std::move(gathered)] { std::copy(gathered.begin(), gathered.end(), to); });
}

// Offsets lie one repeat after the other; each repeat has 256 bytes of results.
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
            const LocalTensor<uint32_t>& srcOffset, uint32_t srcBaseAddr, ascendsim::LaneMask mask,
            ascendsim::RepeatTimes repeatTime, ascendsim::Field<uint16_t> dstRepStride,
            ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_GATHER_DTYPES(T);
    const ascendsim::VectorCall call{"Gather", where};
    call.RunNow();
    constexpr uint32_t kLanes = ascendsim::kRepeatBytes / sizeof(T);
    constexpr uint32_t kOffsetBlocks = kLanes * sizeof(uint32_t) / ascendsim::kUbBlock;
    const auto lanes = ascendsim::ActiveLanes<true>(mask, repeatTime, kLanes, call);
    const auto layout = ascendsim::LayoutOf<T>(1, dstRepStride);
    const auto offsetLayout = ascendsim::LayoutOf<uint32_t>(1, kOffsetBlocks);
    const uint32_t* offset = ascendsim::VectorOperand(srcOffset, lanes, offsetLayout, call);
    std::vector<uint32_t> offsets;
    lanes.ForEach([&](uint32_t repeat, uint32_t lane) {
        offsets.push_back(offset[offsetLayout.Offset(repeat, lane)]);
    });
    const auto pieces = ascendsim::PiecesAt(src, srcBaseAddr, offsets, call);
    auto gathered = ascendsim::ElementsOf(src, pieces, call);
    T* to = ascendsim::VectorOperand(dst, lanes, layout, call);
    call.Perform([=, gathered = std::move(gathered)] {
        auto next = gathered.begin();
        lanes.ForEach(
            [&](uint32_t repeat, uint32_t lane) { to[layout.Offset(repeat, lane)] = *next++; });
    });
}

}  // namespace AscendC
