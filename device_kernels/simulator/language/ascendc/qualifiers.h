// The words that mark device code, and the declaration of a kernel's type.
#pragma once

#include <cstdint>

#define __aicore__
#define __global__
#define __gm__
#define GM_ADDR __gm__ uint8_t*

// The type of a kernel whose code runs on vector cores only.
enum AscendcKernelType { KERNEL_TYPE_AIV_ONLY };

// The model runs every kernel on vector cores, so this only requires that the kernel says the same.
#define KERNEL_TASK_TYPE_DEFAULT(type) \
    static_assert((type) == KERNEL_TYPE_AIV_ONLY, "the model runs vector kernels only")
