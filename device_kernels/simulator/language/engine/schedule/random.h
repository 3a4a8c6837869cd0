// Numbers by a seed, the same on every host.
#pragma once

#include <cstdint>

namespace ascendsim {

// SplitMix64: a good 64-bit value from each successive state.
inline uint64_t NextRandom(uint64_t& state) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

}  // namespace ascendsim
