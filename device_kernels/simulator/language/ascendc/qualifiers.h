// The words that mark device code, and the declaration of a kernel's type.
#pragma once

#include <cstdint>

#include "../engine/sync_all.h"

#define __aicore__
#define __global__
#define __gm__
#define GM_ADDR __gm__ uint8_t*

// The types of kernels that run on vector cores: alone, or by the mixed type that SyncAll needs.
enum AscendcKernelType { KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_MIX_AIV_1_0 };

// Any other type does not compile: the model runs vector kernels only.
#define KERNEL_TASK_TYPE_DEFAULT(type)                                       \
    ::ascendsim::DeclareKernelType((type) == KERNEL_TYPE_AIV_ONLY            \
                                       ? ::ascendsim::KernelType::VectorOnly \
                                       : ::ascendsim::KernelType::MixedVector)
