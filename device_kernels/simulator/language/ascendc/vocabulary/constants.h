// The constants and type traits that kernels take from the interface: sizes of the vector unit, and
// bit patterns of float.
#pragma once

#include <cstdint>
#include <type_traits>

namespace AscendC {

// Bytes of a block and of a repeat, blocks of a repeat, and the strides of operands without gaps.
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t MAX_REPEAT_TIMES = 255;

constexpr uint32_t F32_INF = 0x7F800000;
constexpr uint32_t F32_NEG_INF = 0xFF800000;
constexpr uint32_t F32_NAN = 0x7FC00000;

// An integer of four bits, of which two share a byte. It is a name alone: kernels compare types
// with it, and no instruction of the model takes one.
struct int4b_t {
    uint8_t pair;
};

// Whether two types are one.
template <typename T, typename U>
struct IsSameType : std::is_same<T, U> {};

}  // namespace AscendC
