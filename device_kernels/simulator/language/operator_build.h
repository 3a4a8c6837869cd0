// What the operator build puts before a kernel's source: a build of such a kernel for the model
// includes this header first (-include operator_build.h), and the kernel compiles as it is.
//
// The build defines, besides:
//   ASCENDSIM_TILING_DATA  the struct that GET_TILING_DATA reads; it includes the header that
//                          declares it, by the macros of tiling_data.h, or any other
//   DTYPE_X, ORIG_DTYPE_X  for each input and output of the operator: its C++ type, and its DT_
//   name
// The launch names the tiling key (ascendsimTilingKey), and the workspace it passes begins with the
// system's own 16 MiB, which GetUserWorkspace skips.
#pragma once

#define ASCENDSIM_SYSTEM_WORKSPACE (16 * 1024 * 1024)

#include "kernel_operator.h"
#include "engine/schedule/tiling_key.h"
#include "tiling_data.h"

// The architecture that kernels ask for: the vector core of Ascend910B.
#define __CCE_AICORE__ 220
#define __NPU_ARCH__ 2201
#define __DAV_C220_VEC__

// The numbers of the data types (ge::DataType), for conditions on ORIG_DTYPE_X.
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_BF16 27

namespace ascendsim {

// The tiling struct that lies in global memory, copied as the device copies it: whole.
template <typename Tiling>
Tiling ReadTiling(const uint8_t* tiling, CallSite where = CallSite::current()) {
    RequireGlobal(tiling, tiling, sizeof(Tiling), Access::Read, "GET_TILING_DATA", {where, "S"});
    Tiling copy;
    std::memcpy(static_cast<void*>(&copy), tiling, sizeof copy);
    return copy;
}

}  // namespace ascendsim

#define GET_TILING_DATA(data, tiling) \
    GET_TILING_DATA_WITH_STRUCT(ASCENDSIM_TILING_DATA, data, tiling)
#define GET_TILING_DATA_WITH_STRUCT(Struct, data, tiling) \
    Struct data = ::ascendsim::ReadTiling<Struct>(tiling)
#define GET_TILING_DATA_MEMBER(Struct, member, data, tiling) \
    const auto data = ::ascendsim::ReadTiling<Struct>(tiling).member

#define TILING_KEY_IS(key) (::ascendsim::TilingKey() == static_cast<uint64_t>(key))

// The type of a kernel under one tiling key.
#define KERNEL_TASK_TYPE(key, type)         \
    do {                                    \
        if (TILING_KEY_IS(key)) {           \
            KERNEL_TASK_TYPE_DEFAULT(type); \
        }                                   \
    } while (false)
