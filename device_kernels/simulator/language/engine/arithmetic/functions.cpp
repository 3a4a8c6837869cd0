#include "functions.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ascendsim {
namespace {

// What the host's functions of double may be wrong by, relatively: two units in the last place, of
// which libraries promise one.
constexpr double kError = 0x1p-51;

// Odd in its last bit if anything is lost: so a later rounding to fewer bits sees on which side of
// their middle the value lies.
double RoundToOdd(long double value) {
    const auto near = static_cast<double>(value);
    const auto widened = static_cast<long double>(near);
    if (widened == value || (std::bit_cast<uint64_t>(near) & 1) != 0) {
        return near;
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return std::nextafter(near, value > widened ? kInfinity : -kInfinity);
}

// `near` has an error of `kError`: `further` computes with more bits where that leaves two floats.
template <typename Further>
double Decided(double near, Further further) {
    const auto low = static_cast<float>(near * (1 - kError));
    const auto high = static_cast<float>(near * (1 + kError));
    return low == high || near != near ? near : RoundToOdd(further());
}

// SplitMix64's mixing.
uint64_t Mixed(uint64_t state) {
    state += 0x9E3779B97F4A7C15u;
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
    state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
    return state ^ (state >> 31);
}

}  // namespace

int32_t StepsOf(Functions functions, Function function, float left, float right) {
    switch (functions) {
        case Functions::High:
            return 1;
        case Functions::Low:
            return -1;
        case Functions::Hashed: {
            const uint64_t operands =
                uint64_t{std::bit_cast<uint32_t>(left)} << 32 | std::bit_cast<uint32_t>(right);
            const uint64_t hash = Mixed(operands ^ Mixed(static_cast<uint64_t>(function)));
            return static_cast<int32_t>(hash % 3) - 1;
        }
        case Functions::Rounded:
        case Functions::Flushed:
            return 0;
    }
    return 0;
}

double ExactExp(float value) {
    return Decided(std::exp(double{value}), [value] { return std::exp((long double){value}); });
}

double ExactRsqrt(float value) {
    return Decided(1 / std::sqrt(double{value}),
                   [value] { return 1 / std::sqrt((long double){value}); });
}

double ExactLn(float value) {
    return Decided(std::log(double{value}), [value] { return std::log((long double){value}); });
}

}  // namespace ascendsim
