// The mask, repeat and stride form of vector instructions: 256 bytes per repeat, 8 blocks of 32.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "copy_params.h"
#include "vector_operand.h"

#define ASCENDSIM_OWN_MASK(isSetMask) \
    static_assert(isSetMask, "the sticky mask of isSetMask = false is not modelled")

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

// Which lanes of each repeat take part: the first `count`, or those whose bit is set in two words.
class LaneMask {
public:
    LaneMask(uint64_t count) : count_(count) {}
    LaneMask(const uint64_t* bits) : bits_(bits) {}

    // The lanes as bits, for `lanes` lanes per repeat.
    std::array<uint64_t, 2> Bits(uint32_t lanes, const VectorCall& call) const {
        if (bits_ != nullptr) {
            // Up to 64 lanes the kernel's array may have one word.
            const std::array<uint64_t, 2> bits{bits_[0], lanes > 64 ? bits_[1] : 0};
            if (bits[0] == 0 && bits[1] == 0) {
                Stop(Code::ArgumentRange, {call.where, "V"},
                     "%s with a mask in which none of %u lanes is set", call.name, lanes);
            }
            return bits;
        }
        if (count_ == 0 || count_ > lanes) {
            Stop(Code::ArgumentRange, {call.where, "V"}, "%s with mask %llu, it is 1 to %u",
                 call.name, static_cast<unsigned long long>(count_), lanes);
        }
        const auto ones = [](uint64_t count) {
            return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
        };
        return {ones(count_), count_ > 64 ? ones(count_ - 64) : 0};
    }

private:
    const uint64_t* bits_ = nullptr;  // null: a count
    uint64_t count_ = 0;
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
    Lanes(LaneMask mask, RepeatTimes repeats, uint32_t lanes, const VectorCall& call)
        : bits_(mask.Bits(lanes, call)), repeats_(repeats.Value()), lanes_(lanes) {}

    // Elements that `layout` reaches from the operand's start: for the bounds check.
    uint64_t Extent(const LaneLayout& layout) const {
        uint64_t extent = 0;
        for (uint32_t lane = 0; lane < lanes_ && repeats_ != 0; ++lane) {
            const uint64_t end = uint64_t{layout.Offset(repeats_ - 1, lane)} + 1;
            extent = IsActive(lane) && end > extent ? end : extent;
        }
        return extent;
    }

    uint32_t Repeats() const { return repeats_; }

    // Calls `body(lane)` for every active lane of a repeat.
    template <typename Body>
    void ForEachOfOne(Body body) const {
        for (uint32_t lane = 0; lane < lanes_; ++lane) {
            if (IsActive(lane)) {
                body(lane);
            }
        }
    }

    // Calls `body(repeat, lane)` for every active lane of every repeat.
    template <typename Body>
    void ForEach(Body body) const {
        for (uint32_t repeat = 0; repeat < repeats_; ++repeat) {
            for (uint32_t lane = 0; lane < lanes_; ++lane) {
                if (IsActive(lane)) {
                    body(repeat, lane);
                }
            }
        }
    }

private:
    bool IsActive(uint32_t lane) const { return (bits_[lane / 64] >> (lane % 64) & 1) != 0; }

    std::array<uint64_t, 2> bits_;
    uint32_t repeats_;
    uint32_t lanes_;
};

}  // namespace ascendsim
