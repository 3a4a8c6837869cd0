// Whole-number arithmetic of tilings.
#pragma once

#include <type_traits>

namespace Ops::Base {

// A divisor of 0 gives 0: a tiling that divides by it must not end the process.
template <typename Left, typename Right>
constexpr auto CeilDiv(Left value, Right by) -> std::common_type_t<Left, Right> {
    return by == 0 ? 0 : (value + by - 1) / by;
}

template <typename Left, typename Right>
constexpr auto FloorDiv(Left value, Right by) -> std::common_type_t<Left, Right> {
    return by == 0 ? 0 : value / by;
}

template <typename Left, typename Right>
constexpr auto CeilAlign(Left value, Right to) -> std::common_type_t<Left, Right> {
    return CeilDiv(value, to) * to;
}

template <typename Left, typename Right>
constexpr auto FloorAlign(Left value, Right to) -> std::common_type_t<Left, Right> {
    return FloorDiv(value, to) * to;
}

}  // namespace Ops::Base
