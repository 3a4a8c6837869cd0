// The words that mark device code, and the declaration of a kernel's type.
#pragma once

#include <cstdint>

#include "../../engine/order/sync_all.h"

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define GM_ADDR __gm__ uint8_t*
// Names the pipe of a function of the kernel's own: its instructions name theirs themselves.
#define __inout_pipe__(pipe)

// Which way a condition mostly goes.
constexpr bool likely(bool condition) { return condition; }
constexpr bool unlikely(bool condition) { return condition; }

namespace AscendC {

// The kinds of core; the model is a vector core.
inline constexpr int32_t AIC = 1;
inline constexpr int32_t AIV = 2;
inline constexpr int32_t g_coreType = AIV;

}  // namespace AscendC

// The types of kernels that run on vector cores: alone, or by the mixed type that SyncAll needs.
enum AscendcKernelType { KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_MIX_AIV_1_0 };

// Any other type does not compile: the model runs vector kernels only.
#define KERNEL_TASK_TYPE_DEFAULT(type)                                       \
    ::ascendsim::DeclareKernelType((type) == KERNEL_TYPE_AIV_ONLY            \
                                       ? ::ascendsim::KernelType::VectorOnly \
                                       : ::ascendsim::KernelType::MixedVector)
