// The frame of every kernel of these tests: two inputs, one output, and 32-bit parameters.
#pragma once

#include "kernel_operator.h"

// Defines a kernel, and the entry through which a launch calls it with an array of arguments.
#define TEST_KERNEL(name)                                                                     \
    extern "C" __global__ __aicore__ void name(GM_ADDR first, GM_ADDR second, GM_ADDR result, \
                                               GM_ADDR params);                               \
    extern "C" void entry_##name(void* const* args) {                                         \
        name(static_cast<uint8_t*>(args[0]), static_cast<uint8_t*>(args[1]),                  \
             static_cast<uint8_t*>(args[2]), static_cast<uint8_t*>(args[3]));                 \
    }                                                                                         \
    extern "C" __global__ __aicore__ void name(                                               \
        [[maybe_unused]] GM_ADDR first, [[maybe_unused]] GM_ADDR second,                      \
        [[maybe_unused]] GM_ADDR result, [[maybe_unused]] GM_ADDR params)

// Defines a kernel with one mistake and, as right_<name>, its twin without: `right` tells which.
#define TEST_MISTAKE(name)                                                                       \
    template <bool right>                                                                        \
    __aicore__ void body_##name(GM_ADDR first, GM_ADDR second, GM_ADDR result);                  \
    TEST_KERNEL(name) { body_##name<false>(first, second, result); }                             \
    TEST_KERNEL(right_##name) { body_##name<true>(first, second, result); }                      \
    template <bool right>                                                                        \
    __aicore__ void body_##name([[maybe_unused]] GM_ADDR first, [[maybe_unused]] GM_ADDR second, \
                                [[maybe_unused]] GM_ADDR result)

// Parameter `index` of the launch.
__aicore__ inline int32_t Param(GM_ADDR params, int index) {
    return reinterpret_cast<__gm__ int32_t*>(params)[index];
}

template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> Global(GM_ADDR address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
    return tensor;
}
