// Functions on raw addresses. The interface does not document them, but public kernels of the
// operator build call them, mostly to copy elements of 64 bits as pairs of 32.
//
// A raw address is that of the host memory which stands for UB (LocalTensor::GetPhyAddr): the
// buffer around it is looked up, and the access is judged like that of a tensor.
#pragma once

#include <cstdint>

#include "../../engine/schedule/core.h"
#include "../movement/copy_params.h"
#include "../movement/data_copy_pad.h"
#include "../reduction/repeat_reduce.h"
#include "../vocabulary/mask.h"
#include "global_tensor.h"
#include "local_tensor.h"

namespace ascendsim {

// What is left of the buffer from `address` on, as a tensor.
template <typename T>
AscendC::LocalTensor<T> TensorAt(const T* address, const char* operation, CallSite where) {
    const auto* memory = reinterpret_cast<const uint8_t*>(address);
    int64_t offset = 0;
    Buffer* buffer = BufferAt(memory, offset);
    if (buffer == nullptr) {
        Stop(Code::UbOutOfBounds, {where, "", reinterpret_cast<uint64_t>(address)},
             "%s at a raw address that is inside no buffer", operation);
    }
    const uint64_t left = buffer->bytes - static_cast<uint64_t>(offset);
    return {HandleOf(buffer), offset, static_cast<uint32_t>(left / sizeof(T))};
}

template <typename T>
AscendC::GlobalTensor<T> GlobalAt(T* address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(address);
    return tensor;
}

}  // namespace ascendsim

namespace AscendC {

template <typename T>
void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyExtParams& params,
                          const DataCopyPadExtParams<T>& pad,
                          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    DataCopyPad(ascendsim::TensorAt(dst, "DataCopyPad", where), ascendsim::GlobalAt(src), params,
                pad, where);
}

template <typename T>
void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyExtParams& params,
                          ascendsim::CallSite where = ascendsim::CallSite::current()) {
    DataCopyPad(ascendsim::GlobalAt(dst), ascendsim::TensorAt(src, "DataCopyPad", where), params,
                where);
}

// By the mask register.
template <typename T>
void BlockReduceMaxIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, int32_t repeatTime,
                                  int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                                  ascendsim::CallSite where = ascendsim::CallSite::current()) {
    BlockReduceMax<T, false>(ascendsim::TensorAt(dst, "BlockReduceMax", where),
                             ascendsim::TensorAt(src, "BlockReduceMax", where), repeatTime,
                             MASK_PLACEHOLDER, dstRepStride, srcBlkStride, srcRepStride, where);
}

template <typename T>
void BlockReduceSumIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, int32_t repeatTime,
                                  int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,
                                  ascendsim::CallSite where = ascendsim::CallSite::current()) {
    BlockReduceSum<T, false>(ascendsim::TensorAt(dst, "BlockReduceSum", where),
                             ascendsim::TensorAt(src, "BlockReduceSum", where), repeatTime,
                             MASK_PLACEHOLDER, dstRepStride, srcBlkStride, srcRepStride, where);
}

// Another name of the two functions of the mask register.
struct AscendCUtils {
    template <typename T>
    static void SetMaskCount() {
        AscendC::SetMaskCount();
    }
    template <typename T>
    static void SetMaskNorm() {
        AscendC::SetMaskNorm();
    }
};

}  // namespace AscendC
