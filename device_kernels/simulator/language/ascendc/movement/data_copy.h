// DataCopy: whole 32-byte blocks between global memory and UB.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "../../engine/order/work.h"
#include "../arithmetic/sixteen_bit.h"
#include "../tensors/global_tensor.h"
#include "../tensors/local_tensor.h"
#include "../tensors/pieces.h"
#include "../tensors/vector_operand.h"
#include "../vocabulary/dtype_table.h"
#include "atomic.h"
#include "copy_params.h"

#define ASCENDSIM_COPY_DTYPES(function, T)                                                        \
    ASCENDSIM_DTYPES(function, T, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, \
                     uint64_t, half, bfloat16_t, float)

namespace ascendsim {

inline constexpr uint32_t kMostCopyBlocks = 4095;

struct CopyCall {
    const char* name;
    const char* pipe;
    CallSite where;
    Doer AsDoer() const { return {name, pipe, where}; }
};

// Requires a start at a multiple of 32 bytes in UB.
inline void CheckUbStart(const CopyCall& call, uint64_t ubAddress) {
    if (kChecks && ubAddress % kUbBlock != 0) {
        Stop(Code::CopyAlignment, {call.where, call.pipe, ubAddress},
             "%s at UB address %llu, which is no multiple of 32", call.name,
             static_cast<unsigned long long>(ubAddress));
    }
}

// Requires a start at an element in GM.
inline void CheckGlobalStart(const CopyCall& call, const void* gm, uint32_t elementBytes) {
    const auto address = reinterpret_cast<uint64_t>(gm);
    if (kChecks && address % elementBytes != 0) {
        Stop(Code::CopyAlignment, {call.where, call.pipe, address},
             "%s at GM address 0x%llx, which is no multiple of its element, %u bytes", call.name,
             static_cast<unsigned long long>(address), elementBytes);
    }
}

inline void CheckBlocks(const CopyCall& call, uint32_t blockCount, uint32_t blockLen) {
    if (blockCount == 0 || blockLen == 0) {
        Remark(Code::CopyEmpty, {call.where, call.pipe}, "%s with blockCount %u and blockLen %u",
               call.name, blockCount, blockLen);
    }
    if (blockCount > kMostCopyBlocks) {
        Stop(Code::ArgumentRange, {call.where, call.pipe}, "%s with blockCount %u, at most 4095",
             call.name, blockCount);
    }
}

// The bytes that a copy of `count` elements moves: whole 32-byte blocks, the rest is left behind.
inline uint64_t WholeBlocks(const CopyCall& call, uint64_t count, uint32_t elementBytes) {
    const uint64_t bytes = count * elementBytes;
    if (bytes % kUbBlock != 0) {
        Remark(Code::CopyRounded, {call.where, call.pipe},
               "DataCopy of %llu bytes moves only the %llu bytes of whole 32-byte blocks",
               static_cast<unsigned long long>(bytes),
               static_cast<unsigned long long>(bytes / kUbBlock * kUbBlock));
    }
    return bytes / kUbBlock * kUbBlock;
}

// One instruction, whatever its number of blocks.
inline void CountCopy(const CopyCall& call) {
    if constexpr (kChecks) {
        CountInstruction(PipeOf(call.pipe));
    }
}

// Bytes of one side of a strided copy: where its block `index` begins.
struct Pitch {
    int64_t length;
    int64_t stride;
    int64_t Start(uint32_t index) const { return index * (length + stride); }
};

template <typename T>
uint64_t UbAddressOf(const AscendC::LocalTensor<T>& tensor, int64_t offset) {
    return tensor.UbAddress() + static_cast<uint64_t>(offset);
}

// Bytes of UB that the copy writes (MTE2) or reads (MTE3).
template <typename T>
uint8_t* UbBytes(const AscendC::LocalTensor<T>& tensor, int64_t offset, uint64_t bytes,
                 const CopyCall& call) {
    const auto all = tensor.template ReinterpretCast<uint8_t>();
    uint8_t* memory = all.Elements(offset, bytes, call.name, call.pipe, call.where);
    if constexpr (kChecks) {
        const Access access = PipeOf(call.pipe) == Pipe::MTE2 ? Access::Write : Access::Read;
        DeclareUb(access, UbAddressOf(tensor, offset), bytes, call.AsDoer());
    }
    return memory;
}

// Blocks of whole 32-byte units, lengths and strides in those units.
template <typename T>
void CopyIn(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
            uint32_t blockCount, int64_t bytes, Pitch from, Pitch to, const CopyCall& call) {
    CheckUbStart(call, dst.UbAddress());
    CheckGlobalStart(call, src.GetPhyAddr(), sizeof(T));
    CountCopy(call);
    for (uint32_t index = 0; index < blockCount; ++index) {
        const uint8_t* source = src.Bytes(from.Start(index), static_cast<uint64_t>(bytes),
                                          Access::Read, call.name, call.pipe, call.where);
        uint8_t* target = UbBytes(dst, to.Start(index), static_cast<uint64_t>(bytes), call);
        Perform(Pipe::MTE2, [=] { std::memcpy(target, source, static_cast<size_t>(bytes)); });
        if constexpr (kChecks) {
            DefineByCopyIn(source, UbAddressOf(dst, to.Start(index)), static_cast<uint64_t>(bytes),
                           call.AsDoer());
        }
    }
}

// Where these begin in GM is the caller's to check, but that an atomic mode combines elements.
template <typename T>
void CopyOut(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
             uint32_t blockCount, int64_t bytes, Pitch from, Pitch to, const CopyCall& call) {
    CheckUbStart(call, src.UbAddress());
    CheckAtomicDtype<T>(call.name, call.where);
    if (StoreAccess() == Access::Atomic) {
        CheckGlobalStart(call, dst.GetPhyAddr(), sizeof(T));
    }
    CountCopy(call);
    for (uint32_t index = 0; index < blockCount; ++index) {
        const uint8_t* source = UbBytes(src, from.Start(index), static_cast<uint64_t>(bytes), call);
        uint8_t* target = dst.Bytes(to.Start(index), static_cast<uint64_t>(bytes), StoreAccess(),
                                    call.name, call.pipe, call.where);
        if constexpr (kChecks) {
            JudgeCopyOut(target, UbAddressOf(src, from.Start(index)), static_cast<uint64_t>(bytes),
                         StoreAccess(), call.AsDoer());
        }
        Perform(Pipe::MTE3, [=] { Store(target, source, static_cast<uint64_t>(bytes)); });
    }
}

inline Pitch Units(uint32_t length, uint32_t stride) {
    return {int64_t{length} * kUbBlock, int64_t{stride} * kUbBlock};
}

}  // namespace ascendsim

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, uint32_t count,
              ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COPY_DTYPES("DataCopy", T);
    const ascendsim::CopyCall call{"DataCopy", "MTE2", where};
    const auto bytes = static_cast<int64_t>(ascendsim::WholeBlocks(call, count, sizeof(T)));
    ascendsim::CopyIn(dst, src, 1, bytes, {bytes, 0}, {bytes, 0}, call);
}

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count,
              ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COPY_DTYPES("DataCopy", T);
    const ascendsim::CopyCall call{"DataCopy", "MTE3", where};
    ascendsim::CheckGlobalStart(call, dst.GetPhyAddr(), sizeof(T));
    const auto bytes = static_cast<int64_t>(ascendsim::WholeBlocks(call, count, sizeof(T)));
    ascendsim::CopyOut(dst, src, 1, bytes, {bytes, 0}, {bytes, 0}, call);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COPY_DTYPES("DataCopy", T);
    const ascendsim::CopyCall call{"DataCopy", "MTE2", where};
    ascendsim::CheckBlocks(call, params.blockCount, params.blockLen);
    const auto from = ascendsim::Units(params.blockLen, params.srcStride);
    const auto to = ascendsim::Units(params.blockLen, params.dstStride);
    ascendsim::CopyIn(dst, src, params.blockCount, from.length, from, to, call);
}

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COPY_DTYPES("DataCopy", T);
    const ascendsim::CopyCall call{"DataCopy", "MTE3", where};
    ascendsim::CheckGlobalStart(call, dst.GetPhyAddr(), sizeof(T));
    ascendsim::CheckBlocks(call, params.blockCount, params.blockLen);
    const auto from = ascendsim::Units(params.blockLen, params.srcStride);
    const auto to = ascendsim::Units(params.blockLen, params.dstStride);
    ascendsim::CopyOut(dst, src, params.blockCount, from.length, from, to, call);
}

// Inside UB, by the vector pipe.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count,
              ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COPY_DTYPES("DataCopy", T);
    const uint64_t bytes = ascendsim::WholeBlocks({"DataCopy", "V", where}, count, sizeof(T));
    const auto elements = static_cast<uint32_t>(bytes / sizeof(T));
    const ascendsim::VectorCall call{"DataCopy", where};
    T* to = ascendsim::VectorOperand(dst, elements, call);
    const T* from = ascendsim::VectorOperand(src, elements, call);
    ascendsim::CheckOverlap(dst, src, elements, call);
    call.Perform(
        [=] { ascendsim::ForEachElement(elements, [to, from](uint32_t i) { to[i] = from[i]; }); });
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              ascendsim::CallSite where = ascendsim::CallSite::current()) {
    ASCENDSIM_COPY_DTYPES("DataCopy", T);
    ascendsim::CheckBlocks({"DataCopy", "V", where}, params.blockCount, params.blockLen);
    const ascendsim::VectorCall call{"DataCopy", where};
    constexpr uint32_t kPerBlock = ascendsim::kUbBlock / sizeof(T);
    const uint32_t elements = params.blockLen * kPerBlock;
    std::vector<ascendsim::Piece> written;
    std::vector<ascendsim::Piece> read;
    for (uint32_t block = 0; block < params.blockCount; ++block) {
        written.push_back({block * (params.blockLen + params.dstStride) * kPerBlock, elements});
        read.push_back({block * (params.blockLen + params.srcStride) * kPerBlock, elements});
    }
    const T* from = ascendsim::VectorOperand(src, read, call);
    T* to = ascendsim::VectorOperand(dst, written, call);
    if (params.blockCount != 0) {
        const auto bytes = [](const ascendsim::Piece& last) {
            return (static_cast<uint64_t>(last.first) + last.count) * sizeof(T);
        };
        ascendsim::CheckApart(dst, bytes(written.back()), src.UbAddress(), bytes(read.back()),
                              call);
    }
    call.Perform([to, from, elements, written = std::move(written), read = std::move(read)] {
        for (size_t block = 0; block < written.size(); ++block) {
            std::memcpy(to + written[block].first, from + read[block].first, elements * sizeof(T));
        }
    });
}

}  // namespace AscendC
