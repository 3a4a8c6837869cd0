// Masks: which elements of each repeat take part in an instruction, and the mask register.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "../../engine/schedule/core.h"
#include "../tensors/vector_operand.h"

namespace ascendsim {

// One bit for each of up to 128 lanes of a repeat.
using LaneBits = std::array<uint64_t, 2>;

constexpr LaneBits FirstLanes(uint64_t count) {
    const auto ones = [](uint64_t bits) {
        return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    };
    return {ones(count), count > 64 ? ones(count - 64) : 0};
}

// Which lanes of each repeat take part: the first `count`, or those whose bit is set in two words.
class LaneMask {
public:
    template <std::integral Integer>
    LaneMask(Integer count) : count_(static_cast<uint64_t>(count)) {}
    LaneMask(const uint64_t* bits) : bits_(bits) {}

    bool HasBits() const { return bits_ != nullptr; }

    // The lanes as bits, for `lanes` lanes per repeat.
    LaneBits Bits(uint32_t lanes, const VectorCall& call) const {
        if (bits_ != nullptr) {
            // Up to 64 lanes the kernel's array may have one word.
            const LaneBits all = FirstLanes(lanes);
            return {bits_[0] & all[0], lanes > 64 ? bits_[1] & all[1] : 0};
        }
        if (count_ > lanes) {
            Stop(Code::ArgumentRange, {call.where, "V"}, "%s with mask %llu, it is 0 to %u",
                 call.name, static_cast<unsigned long long>(count_), lanes);
        }
        return FirstLanes(count_);
    }

    // The mask of a call in counter mode.
    uint64_t Count(const VectorCall& call) const {
        if (bits_ != nullptr) {
            Stop(Code::ArgumentRange, {call.where, "V"},
                 "%s with a mask of bits after SetMaskCount: a mask is a count there", call.name);
        }
        return count_;
    }

private:
    const uint64_t* bits_ = nullptr;  // null: a count
    uint64_t count_ = 0;
};

}  // namespace ascendsim

namespace AscendC {

enum class MaskMode : uint8_t { NORMAL, COUNTER };

// What stands in the place of a mask where isSetMask is false.
inline constexpr uint64_t MASK_PLACEHOLDER = 0;
inline constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

// Counter mode: a mask is the number of elements of a whole call. Normal mode: lanes of a repeat.
inline void SetMaskCount() { ascendsim::CurrentCore().registers.mask.counts = true; }
inline void SetMaskNorm() { ascendsim::CurrentCore().registers.mask.counts = false; }

// The mask register, for calls with isSetMask = false; it stays set until ResetMask. Lanes from
// lane 0 on are the bits of `maskLow`, those from lane 64 on the bits of `maskHigh`; or `maskLow`
// is the count of counter mode.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t maskHigh, uint64_t maskLow) {
    ascendsim::CurrentCore().registers.mask.words = {maskLow, maskHigh};
}

// The first `len` lanes, or the count of counter mode.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t len, ascendsim::CallSite where = ascendsim::CallSite::current()) {
    constexpr uint32_t kLanes = 256 / sizeof(T);
    const ascendsim::VectorCall call{"SetVectorMask", where};
    const uint32_t count = ascendsim::CheckCount(len, call);
    ascendsim::CurrentCore().registers.mask.words =
        mode == MaskMode::COUNTER ? ascendsim::LaneBits{count, 0}
                                  : ascendsim::LaneMask(count).Bits(kLanes, call);
}

// All lanes take part again.
inline void ResetMask() {
    ascendsim::CurrentCore().registers.mask.words = ascendsim::MaskRegister{}.words;
}

}  // namespace AscendC
