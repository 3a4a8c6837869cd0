// Block and register sizes of the vector core, in bytes.
#pragma once

#include <cstdint>

namespace Ops::Base {

template <typename Context>
constexpr uint32_t GetUbBlockSize(const Context*) {
    return 32;
}

template <typename Context>
constexpr uint32_t GetVRegSize(const Context*) {
    return 256;
}

}  // namespace Ops::Base
