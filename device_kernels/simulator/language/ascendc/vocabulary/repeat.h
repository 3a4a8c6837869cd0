// The mask, repeat and stride form of vector instructions: 256 bytes per repeat, 8 blocks of 32.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "../movement/copy_params.h"
#include "../tensors/vector_operand.h"
#include "mask.h"

namespace AscendC {

// Strides in 32-byte blocks: between the blocks of one repeat, and between repeats.
struct UnaryRepeatParams {
    UnaryRepeatParams() = default;
    UnaryRepeatParams(ascendsim::Field<uint8_t> dstBlkStride,
                      ascendsim::Field<uint8_t> srcBlkStride,
                      ascendsim::Field<uint8_t> dstRepStride,
                      ascendsim::Field<uint8_t> srcRepStride)
        : dstBlkStride(dstBlkStride),
          srcBlkStride(srcBlkStride),
          dstRepStride(dstRepStride),
          srcRepStride(srcRepStride) {}

    ascendsim::Field<uint8_t> dstBlkStride = 1;
    ascendsim::Field<uint8_t> srcBlkStride = 1;
    ascendsim::Field<uint8_t> dstRepStride = 8;
    ascendsim::Field<uint8_t> srcRepStride = 8;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() = default;
    BinaryRepeatParams(ascendsim::Field<uint8_t> dstBlkStride,
                       ascendsim::Field<uint8_t> src0BlkStride,
                       ascendsim::Field<uint8_t> src1BlkStride,
                       ascendsim::Field<uint8_t> dstRepStride,
                       ascendsim::Field<uint8_t> src0RepStride,
                       ascendsim::Field<uint8_t> src1RepStride)
        : dstBlkStride(dstBlkStride),
          src0BlkStride(src0BlkStride),
          src1BlkStride(src1BlkStride),
          dstRepStride(dstRepStride),
          src0RepStride(src0RepStride),
          src1RepStride(src1RepStride) {}

    ascendsim::Field<uint8_t> dstBlkStride = 1;
    ascendsim::Field<uint8_t> src0BlkStride = 1;
    ascendsim::Field<uint8_t> src1BlkStride = 1;
    ascendsim::Field<uint8_t> dstRepStride = 8;
    ascendsim::Field<uint8_t> src0RepStride = 8;
    ascendsim::Field<uint8_t> src1RepStride = 8;
};

}  // namespace AscendC

namespace ascendsim {

inline constexpr uint32_t kRepeatBytes = 256;

// A number of repeats: above 255 the kernel stops, where hardware would keep the low 8 bits.
class RepeatTimes {
public:
    template <std::integral Integer>
    RepeatTimes(Integer value, CallSite where = CallSite::current())
        : value_(static_cast<uint32_t>(value)) {
        if (static_cast<uint64_t>(value) > 255) {
            Stop(Code::RepeatLimit, {where, "V"}, "%lld repeats, at most 255",
                 static_cast<long long>(value));
        }
    }
    uint32_t Value() const { return value_; }

private:
    uint32_t value_;
};

// Where one operand's lanes lie, in elements of `perBlock` to a 32-byte block.
struct LaneLayout {
    uint32_t perBlock;
    uint32_t blockStride;
    uint32_t repeatStride;
    uint32_t Offset(uint32_t repeat, uint32_t lane) const {
        return (repeat * repeatStride + lane / perBlock * blockStride) * perBlock + lane % perBlock;
    }
};

template <typename T>
constexpr LaneLayout LayoutOf(uint32_t blockStride, uint32_t repeatStride) {
    return {kUbBlock / sizeof(T), blockStride, repeatStride};
}

// The active lanes of an instruction whose widest element gives `lanes` lanes per repeat.
class Lanes {
public:
    // The lanes whose bit is set, in every repeat. Without any there is nothing to repeat: an
    // instruction with an empty mask leaves its result as it is.
    Lanes(const LaneBits& bits, uint32_t repeats, uint32_t lanes)
        : bits_(bits), last_(bits), repeats_(bits == LaneBits{} ? 0 : repeats), lanes_(lanes) {}

    // The first `count` elements: all lanes of as many repeats as that takes, the last in part.
    Lanes(uint64_t count, uint32_t lanes)
        : bits_(FirstLanes(lanes)),
          last_(FirstLanes(count == 0 ? 0 : (count - 1) % lanes + 1)),
          repeats_(static_cast<uint32_t>((count + lanes - 1) / lanes)),
          lanes_(lanes) {}

    uint32_t Repeats() const { return repeats_; }
    uint32_t PerRepeat() const { return lanes_; }

    bool IsActive(uint32_t repeat, uint32_t lane) const {
        return (BitsOf(repeat)[lane / 64] >> (lane % 64) & 1) != 0;
    }

    uint32_t ActiveOf(uint32_t repeat) const {
        const LaneBits& bits = BitsOf(repeat);
        return static_cast<uint32_t>(std::popcount(bits[0]) + std::popcount(bits[1]));
    }

    // Elements that `layout` reaches from the operand's start: for the bounds check.
    uint64_t Extent(const LaneLayout& layout) const {
        uint64_t extent = 0;
        // The last repeat lies furthest; the one before it has more lanes where a count ends it.
        for (uint32_t back = 1; back <= 2 && back <= repeats_; ++back) {
            const uint32_t repeat = repeats_ - back;
            ForEachOf(repeat, [&](uint32_t lane) {
                const uint64_t end = uint64_t{layout.Offset(repeat, lane)} + 1;
                extent = end > extent ? end : extent;
            });
        }
        return extent;
    }

    // Calls `body(lane)` for every active lane of one repeat.
    template <typename Body>
    void ForEachOf(uint32_t repeat, Body body) const {
        const LaneBits& bits = BitsOf(repeat);
        for (uint32_t word = 0; word < 2; ++word) {
            for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
                body(word * 64 + static_cast<uint32_t>(std::countr_zero(left)));
            }
        }
    }

    // Calls `body(repeat, lane)` for every active lane of every repeat.
    template <typename Body>
    void ForEach(Body body) const {
        for (uint32_t repeat = 0; repeat < repeats_; ++repeat) {
            ForEachOf(repeat, [&](uint32_t lane) { body(repeat, lane); });
        }
    }

    // Calls `body(first, count)` for the consecutive elements of `layout`, in the order of the
    // lanes; all of them at once where the lanes of one repeat after the other are neighbours.
    template <typename Body>
    void ForEachRun(const LaneLayout& layout, Body body) const {
        const bool whole =
            layout.blockStride == 1 && layout.repeatStride * layout.perBlock == lanes_;
        if (whole && AllActive()) {
            body(0, repeats_ * lanes_);
            return;
        }
        for (uint32_t repeat = 0; repeat < repeats_; ++repeat) {
            for (uint32_t lane = 0; lane < lanes_;) {
                const uint32_t first = lane;
                const uint32_t offset = layout.Offset(repeat, lane);
                while (lane < lanes_ && IsActive(repeat, lane) &&
                       layout.Offset(repeat, lane) == offset + (lane - first)) {
                    ++lane;
                }
                if (lane != first) {
                    body(offset, lane - first);
                } else {
                    ++lane;
                }
            }
        }
    }

private:
    const LaneBits& BitsOf(uint32_t repeat) const { return repeat + 1 == repeats_ ? last_ : bits_; }
    bool AllActive() const { return bits_ == FirstLanes(lanes_) && last_ == bits_; }

    LaneBits bits_;
    LaneBits last_;  // of the last repeat
    uint32_t repeats_;
    uint32_t lanes_;
};

// The active lanes of a tensor as a vector operand.
template <typename T>
auto VectorOperand(const AscendC::LocalTensor<T>& tensor, const Lanes& lanes,
                   const LaneLayout& layout, const VectorCall& call) {
    T* elements = PlacedOperand(tensor, lanes.Extent(layout), call);
    const auto active = [&lanes, &layout](auto body) { lanes.ForEachRun(layout, body); };
    return VectorElements(elements, tensor.UbAddress(), active, call);
}

// The lanes of one call. Without a mask of its own it takes the mask register's; in counter mode a
// mask is the number of elements of the whole call, and `repeats` has no effect.
template <bool isSetMask>
Lanes ActiveLanes(LaneMask mask, RepeatTimes repeats, uint32_t lanes, const VectorCall& call) {
    const MaskRegister& sticky = CurrentCore().registers.mask;
    if (sticky.counts) {
        return Lanes(isSetMask ? mask.Count(call) : sticky.words[0], lanes);
    }
    if (isSetMask) {
        return Lanes(mask.Bits(lanes, call), repeats.Value(), lanes);
    }
    return Lanes(LaneMask(sticky.words.data()).Bits(lanes, call), repeats.Value(), lanes);
}

// The elements of a call that takes a count, which it ignores without a mask of its own.
template <bool isSetMask>
uint32_t ActiveCount(int64_t count, const VectorCall& call) {
    const uint64_t sticky = CurrentCore().registers.mask.words[0];
    return CheckCount(isSetMask ? count : static_cast<int64_t>(sticky), call);
}

}  // namespace ascendsim
