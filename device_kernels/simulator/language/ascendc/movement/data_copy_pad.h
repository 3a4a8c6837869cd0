// DataCopyPad: blocks of any number of bytes between global memory and UB.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "copy_params.h"
#include "data_copy.h"

namespace ascendsim {

inline constexpr uint32_t kMostPadBlockBytes = 2097151;  // 21 bits

// A DataCopyPad call with its fields at their full width; strides are those of the two sides.
struct PadCopy {
    uint32_t blockCount;
    uint32_t blockLen;   // bytes
    uint32_t srcStride;  // bytes from GM, 32-byte units from UB
    uint32_t dstStride;
};

template <typename Params>
PadCopy WidenParams(const Params& params) {
    return {params.blockCount, params.blockLen, params.srcStride, params.dstStride};
}

template <typename T>
struct Padding {
    bool isPad;
    uint32_t left;   // elements
    uint32_t right;  // elements
    T value;
};

inline void CheckPadCopy(const PadCopy& copy, const CopyCall& call) {
    CheckBlocks(call, copy.blockCount, copy.blockLen);
    if (copy.blockLen > kMostPadBlockBytes) {
        Stop(Code::ArgumentRange, {call.where, call.pipe},
             "DataCopyPad with blockLen %u, at most %u", copy.blockLen, kMostPadBlockBytes);
    }
}

// The dtypes of DataCopy and, as one byte, bool.
#define ASCENDSIM_PAD_DTYPES(T)                                                           \
    ASCENDSIM_DTYPES("DataCopyPad", T, int8_t, uint8_t, bool, int16_t, uint16_t, int32_t, \
                     uint32_t, int64_t, uint64_t, half, bfloat16_t, float)

template <typename T>
void CheckPadding(const Padding<T>& padding, const CopyCall& call) {
    const uint32_t most = kUbBlock / sizeof(T);
    if (padding.left > most || padding.right > most) {
        Stop(Code::ArgumentRange, {call.where, call.pipe},
             "DataCopyPad with %u and %u elements of padding, at most %u, 32 bytes", padding.left,
             padding.right, most);
    }
}

// The unsigned integer of an element's size.
template <typename T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// The element whose bits are the low ones of a value.
template <typename T>
T PaddingOf(uint64_t value) {
    if constexpr (std::is_same_v<T, bool>) {
        return static_cast<uint8_t>(value) != 0;
    } else {
        return std::bit_cast<T>(static_cast<BitsOf<T>>(value));
    }
}

// Bytes that a block of `bytes` takes in UB.
constexpr uint64_t PaddedBytes(uint64_t bytes) {
    return (bytes + kUbBlock - 1) / kUbBlock * kUbBlock;
}

// Fills the `count` elements at `start` with the padding value; without one, nobody defines them.
template <typename T>
void FillPadding(uint8_t* start, uint32_t count, const Padding<T>& padding) {
    if (!padding.isPad) {
        Poison(start, count * sizeof(T));
        return;
    }
    for (uint32_t index = 0; index < count; ++index) {
        std::memcpy(start + index * sizeof(T), &padding.value, sizeof(T));
    }
}

template <typename T>
void PadIn(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
           const PadCopy& copy, const Padding<T>& padding, CallSite where) {
    ASCENDSIM_PAD_DTYPES(T);
    const CopyCall call{"DataCopyPad", "MTE2", where};
    CheckPadCopy(copy, call);
    CheckPadding(padding, call);
    CheckCopyAlignment(call, dst.UbAddress(), src.GetPhyAddr(), sizeof(T));
    const uint64_t left = padding.left * sizeof(T);
    const uint64_t right = padding.right * sizeof(T);
    const uint64_t padded = PaddedBytes(left + copy.blockLen + right);
    const Pitch from{copy.blockLen, copy.srcStride};
    const Pitch to{static_cast<int64_t>(padded), int64_t{copy.dstStride} * kUbBlock};
    for (uint32_t index = 0; index < copy.blockCount; ++index) {
        const uint8_t* source = src.Bytes(from.Start(index), copy.blockLen, Access::Read, call.name,
                                          call.pipe, call.where);
        uint8_t* target = UbBytes(dst, to.Start(index), padded, call);
        const uint64_t defined = left + copy.blockLen + right;
        Perform(Pipe::MTE2, [=, length = copy.blockLen] {
            FillPadding(target, padding.left, padding);
            std::memcpy(target + left, source, length);
            FillPadding(target + left + length, padding.right, padding);
            Poison(target + defined, padded - defined);
        });
        if constexpr (kChecks) {
            const uint64_t place = UbAddressOf(dst, to.Start(index));
            padding.isPad ? MarkDefined(place, defined) : MarkUndefined(place, defined);
            DefineByCopyIn(source, place + left, copy.blockLen, call.AsDoer());
            MarkUndefined(place + defined, padded - defined);
        }
    }
}

template <typename T>
void PadOut(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
            const PadCopy& copy, CallSite where) {
    ASCENDSIM_PAD_DTYPES(T);
    const CopyCall call{"DataCopyPad", "MTE3", where};
    CheckPadCopy(copy, call);
    const Pitch from{static_cast<int64_t>(PaddedBytes(copy.blockLen)),
                     int64_t{copy.srcStride} * kUbBlock};
    const Pitch to{copy.blockLen, copy.dstStride};
    CopyOut(dst, src, copy.blockCount, copy.blockLen, from, to, call);
}

}  // namespace ascendsim

namespace AscendC {

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                 const DataCopyParams& params, const DataCopyPadParams& pad,
                 ascendsim::CallSite where = ascendsim::CallSite::current()) {
    const ascendsim::Padding<T> padding{pad.isPad, pad.leftPadding, pad.rightPadding,
                                        ascendsim::PaddingOf<T>(pad.paddingValue)};
    ascendsim::PadIn(dst, src, ascendsim::WidenParams(params), padding, where);
}

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                 const DataCopyExtParams& params, const DataCopyPadExtParams<T>& pad,
                 ascendsim::CallSite where = ascendsim::CallSite::current()) {
    const ascendsim::Padding<T> padding{pad.isPad, pad.leftPadding, pad.rightPadding,
                                        pad.paddingValue};
    ascendsim::PadIn(dst, src, ascendsim::WidenParams(params), padding, where);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyParams& params,
                 ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::PadOut(dst, src, ascendsim::WidenParams(params), where);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyExtParams& params,
                 ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ascendsim::PadOut(dst, src, ascendsim::WidenParams(params), where);
}

}  // namespace AscendC
