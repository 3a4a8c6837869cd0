// GlobalTensor<T>: a view of global memory.
#pragma once

#include <cstdint>

#include "../../engine/memory/global_memory.h"
#include "../../engine/memory/unified_buffer.h"
#include "../../engine/report/diagnostics.h"
#include "../../engine/schedule/core.h"
#include "../vocabulary/qualifiers.h"
#include "element.h"

namespace ascendsim {

// Requires that bytes [offset, offset + bytes) lie inside the `size` bytes that SetGlobalBuffer
// named. What is really there is another check's.
inline void CheckGlobalSize(int64_t offset, uint64_t bytes, uint64_t size, const char* operation,
                            const Spot& spot) {
    if (offset < 0 || static_cast<uint64_t>(offset) > size ||
        bytes > size - static_cast<uint64_t>(offset)) {
        Concern(Code::GmOutOfBounds, spot,
                "%s touches %llu bytes at offset %lld of a GlobalTensor of %llu bytes", operation,
                static_cast<unsigned long long>(bytes), static_cast<long long>(offset),
                static_cast<unsigned long long>(size));
    }
}

}  // namespace ascendsim

namespace AscendC {

// Elements of T from an address on; at most `size` of them where SetGlobalBuffer was given a size,
// and always inside one region of the launch.
template <typename T>
class GlobalTensor {
public:
    using PrimType = T;
    using Index = uint64_t;

    void SetGlobalBuffer(__gm__ T* address, uint64_t size) {
        base_ = address;
        first_ = 0;
        size_ = size;
        sized_ = true;
    }
    void SetGlobalBuffer(__gm__ T* address) {
        SetGlobalBuffer(address, 0);
        sized_ = false;
    }

    T GetValue(uint64_t index, ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        return *Scalar(index, ascendsim::Access::Read, "GetValue", where);
    }

    void SetValue(uint64_t index, T value,
                  ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        *Scalar(index, ascendsim::Access::Write, "SetValue", where) = value;
    }

    // A view may begin anywhere, as a core without work makes one beyond the end: only its use is
    // judged.
    GlobalTensor operator[](uint64_t index) const {
        GlobalTensor view = *this;
        view.first_ = static_cast<int64_t>(static_cast<uint64_t>(first_) + index);
        return view;
    }

    // One element, to be read or written.
    ascendsim::ElementOf<GlobalTensor> operator()(ascendsim::PlacedIndex index) const {
        return {*this, index};
    }

    // The elements left in this view; 0 where SetGlobalBuffer was given no size.
    uint64_t GetSize() const {
        const auto size = static_cast<int64_t>(size_);
        return sized_ && first_ < size ? static_cast<uint64_t>(size - first_) : 0;
    }

    __gm__ T* GetPhyAddr(uint64_t index = 0) const {
        const auto offset = ByteOffset(static_cast<uint64_t>(first_) + index);
        return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(base_) +
                                    static_cast<uintptr_t>(offset));
    }

    // For the model: the memory of `bytes` bytes from `offset` bytes into the view on, checked.
    __gm__ uint8_t* Bytes(int64_t offset, uint64_t bytes, ascendsim::Access access,
                          const char* operation, const char* pipe,
                          ascendsim::CallSite where) const {
        const int64_t fromBase = ByteOffset(static_cast<uint64_t>(first_)) + offset;
        auto* address = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(base_) +
                                                   static_cast<uintptr_t>(fromBase));
        ascendsim::NoteCall(operation, where);
        if constexpr (!ascendsim::kChecks) {
            return address;
        }
        const ascendsim::Spot spot{where, pipe, reinterpret_cast<uint64_t>(address)};
        if (sized_) {
            constexpr uint64_t kMost = ~uint64_t{0} / sizeof(T);
            const uint64_t size = size_ > kMost ? ~uint64_t{0} : size_ * sizeof(T);
            ascendsim::CheckGlobalSize(fromBase, bytes, size, operation, spot);
        }
        ascendsim::RequireGlobal(base_, address, bytes, access, operation, spot);
        return address;
    }

private:
    T* Scalar(uint64_t index, ascendsim::Access access, const char* operation,
              ascendsim::CallSite where) const {
        uint8_t* bytes = Bytes(ByteOffset(index), sizeof(T), access, operation, "S", where);
        ascendsim::CheckScalarAlignment(reinterpret_cast<uint64_t>(bytes), sizeof(T), operation,
                                        "GM", where);
        return reinterpret_cast<T*>(bytes);
    }

    // An index whose bytes do not fit stays out of reach of every region; the sum of two such
    // offsets still fits.
    static int64_t ByteOffset(uint64_t index) {
        constexpr int64_t kFar = int64_t{1} << 61;
        constexpr auto kMost = kFar / static_cast<int64_t>(sizeof(T));
        const auto elements = static_cast<int64_t>(index);
        if (elements > kMost || elements < -kMost) {
            return elements < 0 ? -kFar : kFar;
        }
        return elements * static_cast<int64_t>(sizeof(T));
    }

    T* base_ = nullptr;
    int64_t first_ = 0;  // elements
    uint64_t size_ = 0;
    bool sized_ = false;
};

}  // namespace AscendC
