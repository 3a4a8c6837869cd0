// Poison: words of 16 bits, repeated, that memory holds which nobody has written. A kernel that
// uses one as a number has read what it must not.
//
// conformance/poison.py states the same table for what the harness fills; a test compares the two.
#pragma once

#include <cstdint>
#include <string>

namespace ascendsim {

struct PoisonPattern {
    uint16_t word;
    const char* where;  // "the pattern of ..."
};

// UB that nothing defines. Read as half, bfloat16_t or float it is a NaN, read as int32_t -1703963:
// no result that uses it looks right.
inline constexpr uint16_t kUbPoison = 0xFFE5;

inline constexpr PoisonPattern kPoisonPatterns[] = {
    {0x7FFB, "an output that nobody wrote"},
    {0xFFFD, "an output that nobody wrote"},
    {0x7FF9, "the gaps between the elements of an input"},
    {0x7FF7, "the gaps between the elements of an output"},
    {0x7FE3, "a workspace that nobody wrote"},
    {0x7FED, "device memory that nobody wrote"},
    {kUbPoison, "a unified buffer that nobody filled"},
};

// Guard zones around tensors hold odd words between these, of either sign, in no order.
inline constexpr uint16_t kLeastGuard = 0x7FC1, kMostGuard = 0x7FDF;
inline constexpr const char* kGuardWhere = "a guard zone, outside of every tensor";

// Whether a number, in two's complement, is poison, a small multiple of it, or half of it.
bool IsPoison(uint64_t number);

// What a message says of its numbers, where one is poison, a small multiple of it, or half of it:
// "; 8 is 2 times 0x4, the pattern of ...". Empty for other messages.
std::string PoisonIn(const std::string& message);

}  // namespace ascendsim
