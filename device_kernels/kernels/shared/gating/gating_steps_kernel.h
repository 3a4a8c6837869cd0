// What the kernels of a softmax with the k best experts are made of.
#ifndef GATING_STEPS_KERNEL_H
#define GATING_STEPS_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_share_kernel.h"
#include "../sorting/ordering_kernel.h"
#include "gating_tiling.h"

namespace gating {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

constexpr int64_t SORTED_KEYS = 32;    // that a repeat of Sort takes
constexpr int64_t COMPARED_KEYS = 64;  // that a repeat of Compare takes
constexpr int64_t LANE_BYTES = 24;     // gating_tiling.h
constexpr int64_t BLOCK_BYTES = 32;
constexpr int64_t BLOCK_FLOATS = 8;  // a result of a reduction has a block of 32 bytes

// Null: there is none, or it is not wanted.
struct Tensors {
    GM_ADDR x;
    GM_ADDR finished;
    GM_ADDR y;
    GM_ADDR expertIdx;
    GM_ADDR rowIdx;
    GM_ADDR softmaxResult;
};

// The tensors of a call in global memory.
template <typename T>
struct Call {
    __aicore__ inline void Init(const Tensors& tensors) {
        hasFinished = tensors.finished != nullptr;
        hasRowIdx = tensors.rowIdx != nullptr;
        hasResult = tensors.softmaxResult != nullptr;
        x.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.x));
        finished.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(tensors.finished));
        y.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(tensors.y));
        expertIdx.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.expertIdx));
        rowIdx.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.rowIdx));
        softmaxResult.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.softmaxResult));
    }

    __aicore__ inline bool IsFinished(int64_t row) const {
        return hasFinished && finished.GetValue(row) != 0;
    }

    GlobalTensor<T> x;
    GlobalTensor<uint8_t> finished;
    GlobalTensor<T> y;
    GlobalTensor<int32_t> expertIdx;
    GlobalTensor<int32_t> rowIdx;
    GlobalTensor<float> softmaxResult;
    bool hasFinished;
    bool hasRowIdx;
    bool hasResult;
};

// The unified buffer of a core (gating_tiling.h).
struct Lanes {
    __aicore__ inline void Init(int64_t lanes, TPipe* pipe) {
        pipe->InitBuffer(buffer, static_cast<uint32_t>(lanes * LANE_BYTES));
        keys = buffer.Get<float>();
        numbers = buffer.Get<int32_t>()[lanes];
        pairs = keys[2 * lanes];
        work = keys[4 * lanes];
    }

    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> keys;
    LocalTensor<int32_t> numbers;
    LocalTensor<float> pairs;
    LocalTensor<float> work;
};

__aicore__ inline float Infinity() { return __builtin_inff(); }

template <typename Element>
__aicore__ inline void Fill(const LocalTensor<Element>& to, Element value, int64_t count) {
    AscendC::Duplicate(to, value, static_cast<int32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
}

// Compare takes whole repeats, and with them what lies behind `count`. `bits` are room for those.
__aicore__ inline void ReplaceNan(const LocalTensor<float>& keys, float value,
                                  const LocalTensor<float>& bits, int64_t count) {
    const LocalTensor<uint8_t> areNumbers = bits.ReinterpretCast<uint8_t>();
    AscendC::Compare(areNumbers, keys, keys, AscendC::CMPMODE::EQ,
                     static_cast<uint32_t>(RoundUp(count, COMPARED_KEYS)));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Select(keys, areNumbers, keys, value, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                    static_cast<uint32_t>(count));
    AscendC::PipeBarrier<PIPE_V>();
}

// The first element, when the vector pipe has written it.
__aicore__ inline float ValueOf(const LocalTensor<float>& from) {
    Order<HardEvent::V_S>();
    const float value = from.GetValue(0);
    Order<HardEvent::S_V>();
    return value;
}

// Units of 32 bytes from the end of `count` elements in UB to `lanes` elements from their start.
template <typename Element>
__aicore__ inline int64_t Gap(int64_t count, int64_t lanes) {
    constexpr auto size = static_cast<int64_t>(sizeof(Element));
    return (lanes * size - RoundUp(count * size, BLOCK_BYTES)) / BLOCK_BYTES;
}

template <typename T>
__aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& raw,
                             int64_t count) {
    if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::Muls(to, raw, 1.0f, static_cast<int32_t>(count));
    } else {
        AscendC::Cast(to, raw, RoundMode::CAST_NONE, static_cast<uint32_t>(count));
    }
    AscendC::PipeBarrier<PIPE_V>();
}

// Copies `blocks` blocks of `count` elements to where they are neighbours; `gap` units of 32 bytes
// lie between them in UB. The copy comes after all that the vector pipe was given, and before what
// it is given next.
template <typename Element>
__aicore__ inline void Store(const GlobalTensor<Element>& to, int64_t first,
                             const LocalTensor<Element>& from, int64_t count, int64_t blocks = 1,
                             int64_t gap = 0) {
    const uint32_t bytes = static_cast<uint32_t>(count * sizeof(Element));
    Order<HardEvent::V_MTE3>();
    AscendC::DataCopyPad(
        to[first], from,
        DataCopyExtParams{static_cast<uint16_t>(blocks), bytes, static_cast<uint32_t>(gap), 0, 0});
    Order<HardEvent::MTE3_V>();
}

// The same of blocks that begin `lanes` apart, after their values were rounded to the data type of
// the output. `room` is for as many.
template <typename T>
__aicore__ inline void StoreRounded(const GlobalTensor<T>& to, int64_t first,
                                    const LocalTensor<float>& values,
                                    const LocalTensor<float>& room, int64_t count, int64_t blocks,
                                    int64_t lanes) {
    if constexpr (sizeof(T) == sizeof(float)) {
        Store(to, first, values, count, blocks, Gap<T>(count, lanes));
    } else {
        const LocalTensor<T> rounded = room.template ReinterpretCast<T>();
        AscendC::Cast(rounded, values, RoundMode::CAST_RINT, static_cast<uint32_t>(blocks * lanes));
        Store(to, first, rounded, count, blocks, Gap<T>(count, lanes));
    }
}

}  // namespace gating

#endif
