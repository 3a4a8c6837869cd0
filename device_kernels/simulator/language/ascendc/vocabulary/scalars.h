// Scalar functions that the device's compiler knows without a header.
#pragma once

#include <type_traits>

#include "qualifiers.h"

template <typename Left, typename Right>
__aicore__ constexpr std::common_type_t<Left, Right> max(Left left, Right right) {
    return left < right ? right : left;
}

template <typename Left, typename Right>
__aicore__ constexpr std::common_type_t<Left, Right> min(Left left, Right right) {
    return right < left ? right : left;
}
