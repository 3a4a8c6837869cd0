// The dtypes that each function takes on the 910B vector unit.
#pragma once

#include <type_traits>

namespace ascendsim {

template <typename T, typename... Allowed>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Allowed> || ...);

}  // namespace ascendsim

// Rejects T for `function` at compile time, naming both the function and its dtypes; the compiler
// adds the T in question to the message.
#define ASCENDSIM_DTYPES(function, T, ...)               \
    static_assert(::ascendsim::kIsOneOf<T, __VA_ARGS__>, \
                  function " does not take this dtype on Ascend910B; it takes " #__VA_ARGS__)
