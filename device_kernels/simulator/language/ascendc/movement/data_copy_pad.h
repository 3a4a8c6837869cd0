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

// Padding without isPad has the value that SetPadValue has set for elements of this size.
template <typename T>
struct Padding {
    bool isPad;
    uint32_t left;   // elements
    uint32_t right;  // elements
    T value;
    bool hasValue = isPad;

    const T* Value() const { return hasValue ? &value : nullptr; }
};

template <typename T>
void CheckPadCopy(const PadCopy& copy, const CopyCall& call) {
    CheckBlocks(call, copy.blockCount, copy.blockLen);
    if (copy.blockLen > kMostPadBlockBytes) {
        Stop(Code::ArgumentRange, {call.where, call.pipe},
             "DataCopyPad with blockLen %u, at most %u", copy.blockLen, kMostPadBlockBytes);
    }
    if (copy.blockLen % sizeof(T) != 0) {
        Stop(Code::ArgumentRange, {call.where, call.pipe},
             "DataCopyPad with blockLen %u, which is no multiple of its element, %zu bytes",
             copy.blockLen, sizeof(T));
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
    if constexpr (sizeof(T) == sizeof(uint64_t)) {
        if (padding.isPad && padding.value != 0) {
            Stop(Code::ArgumentRange, {call.where, call.pipe},
                 "DataCopyPad with a paddingValue of 64 bits that is not 0");
        }
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

// What a block leaves behind its padding, up to 32 bytes.
enum class Filler : uint8_t { Undefined, FirstElement, PaddingValue };

// By the page of DataCopyPad. That leaves open what isPad makes of a block without padding.
template <typename T>
Filler FillerOf(const Padding<T>& padding) {
    if (padding.left == 0 && padding.right == 0) {
        return padding.isPad ? Filler::Undefined : Filler::FirstElement;
    }
    return padding.isPad ? Filler::PaddingValue : Filler::Undefined;
}

// Fills `bytes` bytes with elements of `value`; without one, nobody defines them.
template <typename T>
void Fill(uint8_t* start, uint64_t bytes, const T* value) {
    if (value == nullptr) {
        Poison(start, bytes);
        return;
    }
    for (uint64_t at = 0; at < bytes; at += sizeof(T)) {
        std::memcpy(start + at, value, sizeof(T));
    }
}

// What a block of `length` bytes becomes in the `padded` bytes at `target`.
template <typename T>
void PadBlock(uint8_t* target, uint64_t padded, const uint8_t* source, uint32_t length,
              const Padding<T>& padding) {
    const uint64_t left = padding.left * sizeof(T);
    const uint64_t right = padding.right * sizeof(T);
    const uint64_t defined = left + length + right;
    const T* value = padding.Value();
    Fill(target, left, value);
    std::memcpy(target + left, source, length);
    Fill(target + left + length, right, value);
    T first;
    std::memcpy(&first, source, sizeof(T));
    const Filler filler = FillerOf(padding);
    Fill(target + defined, padded - defined,
         filler == Filler::FirstElement   ? &first
         : filler == Filler::PaddingValue ? value
                                          : nullptr);
}

// The same for what is known to be defined: a filler is, if the first element is.
template <typename T>
void DefinePadBlock(uint64_t place, uint64_t padded, const uint8_t* source, uint32_t length,
                    const Padding<T>& padding, const Doer& doer) {
    const uint64_t left = padding.left * sizeof(T);
    const uint64_t defined = left + length + padding.right * sizeof(T);
    padding.hasValue ? MarkDefined(place, padded) : MarkUndefined(place, padded);
    DefineByCopyIn(source, place + left, length, doer);
    switch (FillerOf(padding)) {
        case Filler::PaddingValue:
            return;
        case Filler::Undefined:
            return MarkUndefined(place + defined, padded - defined);
        case Filler::FirstElement:
            if (IsUndefined(place, sizeof(T))) {
                MarkUndefined(place + defined, padded - defined);
            } else {
                MarkDefined(place + defined, padded - defined);
            }
    }
}

template <typename T>
void TakePadRegister(Padding<T>& padding) {
    const PadRegister& set = CurrentCore().registers.pad;
    if (!padding.isPad && set.bytes == sizeof(T)) {
        padding.value = PaddingOf<T>(set.value);
        padding.hasValue = true;
    }
}

template <typename T>
void PadIn(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
           const PadCopy& copy, Padding<T> padding, CallSite where) {
    ASCENDSIM_PAD_DTYPES(T);
    TakePadRegister(padding);
    const CopyCall call{"DataCopyPad", "MTE2", where};
    CheckPadCopy<T>(copy, call);
    CheckPadding(padding, call);
    CheckUbStart(call, dst.UbAddress());
    CountCopy(call);
    if (copy.blockLen == 0) {
        return;
    }
    const uint64_t padded =
        PaddedBytes(copy.blockLen + (uint64_t{padding.left} + padding.right) * sizeof(T));
    const Pitch from{copy.blockLen, copy.srcStride};
    const Pitch to{static_cast<int64_t>(padded), int64_t{copy.dstStride} * kUbBlock};
    for (uint32_t index = 0; index < copy.blockCount; ++index) {
        const uint8_t* source = src.Bytes(from.Start(index), copy.blockLen, Access::Read, call.name,
                                          call.pipe, call.where);
        uint8_t* target = UbBytes(dst, to.Start(index), padded, call);
        Perform(Pipe::MTE2,
                [=, length = copy.blockLen] { PadBlock(target, padded, source, length, padding); });
        if constexpr (kChecks) {
            DefinePadBlock(UbAddressOf(dst, to.Start(index)), padded, source, copy.blockLen,
                           padding, call.AsDoer());
        }
    }
}

template <typename T>
void PadOut(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
            const PadCopy& copy, CallSite where) {
    ASCENDSIM_PAD_DTYPES(T);
    const CopyCall call{"DataCopyPad", "MTE3", where};
    CheckPadCopy<T>(copy, call);
    const Pitch from{static_cast<int64_t>(PaddedBytes(copy.blockLen)),
                     int64_t{copy.srcStride} * kUbBlock};
    const Pitch to{copy.blockLen, copy.dstStride};
    CopyOut(dst, src, copy.blockCount, copy.blockLen, from, to, call);
}

}  // namespace ascendsim

namespace AscendC {

// Of later copies whose isPad is false.
template <typename T, TPosition pos = TPosition::MAX>
void SetPadValue(T paddingValue) {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::MAX,
                  "SetPadValue takes VECIN, VECOUT and MAX");
    ascendsim::CurrentCore().registers.pad = {
        uint64_t{std::bit_cast<ascendsim::BitsOf<T>>(paddingValue)}, sizeof(T)};
}

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
