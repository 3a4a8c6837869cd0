// InitGlobalMemory, also named InitOutput: one value into a range of global memory.
#pragma once

#include <cstdint>
#include <cstring>

#include "../../engine/memory/definedness.h"
#include "../../engine/order/pipelines.h"
#include "../../engine/order/work.h"
#include "../arithmetic/sixteen_bit.h"
#include "../tensors/global_tensor.h"
#include "../vocabulary/dtype_table.h"

namespace ascendsim {

// Written by MTE3: other pipes and other blocks have to wait for it.
template <typename T>
void FillGlobal(const AscendC::GlobalTensor<T>& tensor, uint64_t count, T value, const char* name,
                CallSite where) {
    uint8_t* target = tensor.Bytes(0, count * sizeof(T), Access::Write, name, "MTE3", where);
    if constexpr (kChecks) {
        CountInstruction(Pipe::MTE3);
        DefineGlobal(target, count * sizeof(T));
    }
    Perform(Pipe::MTE3, [=] {
        for (uint64_t index = 0; index < count; ++index) {
            std::memcpy(target + index * sizeof(T), &value, sizeof(T));
        }
    });
}

}  // namespace ascendsim

namespace AscendC {

template <typename T>
void InitGlobalMemory(const GlobalTensor<T>& tensor, uint64_t size, const T value,
                      ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_DTYPES("InitGlobalMemory", T, uint16_t, int16_t, half, uint32_t, int32_t, float);
    ascendsim::FillGlobal(tensor, size, value, "InitGlobalMemory", where);
}

template <typename T>
void InitOutput(const GlobalTensor<T>& tensor, uint64_t size, const T value = T(0),
                ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_DTYPES("InitOutput", T, uint16_t, int16_t, half, bfloat16_t, uint32_t, int32_t,
                     float);
    ascendsim::FillGlobal(tensor, size, value, "InitOutput", where);
}

}  // namespace AscendC
