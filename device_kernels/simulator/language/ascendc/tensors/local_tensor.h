// LocalTensor<T>: a view of a buffer in UB.
#pragma once

#include <cstdint>

#include "../../engine/memory/definedness.h"
#include "../../engine/memory/unified_buffer.h"
#include "../../engine/order/pipelines.h"
#include "../../engine/report/diagnostics.h"
#include "element.h"

namespace AscendC {

// `size` elements of T from `offset` bytes into a buffer. The bounds of every access are those of
// the buffer, as the size of a view is only what GetSize answers.
template <typename T>
class LocalTensor {
public:
    using PrimType = T;
    using Index = uint32_t;

    LocalTensor() = default;

    T GetValue(uint32_t index, ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        T value = *Scalar(index, ascendsim::Access::Read, "GetValue", where);
        if constexpr (ascendsim::kChecks) {
            if (ascendsim::QueuesEffects()) {
                ascendsim::ReadScalar(AddressOf(index), &value, sizeof(T));
            }
        }
        return value;
    }

    void SetValue(uint32_t index, T value,
                  ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        T* element = Scalar(index, ascendsim::Access::Write, "SetValue", where);
        if constexpr (ascendsim::kChecks) {
            if (ascendsim::QueuesEffects()) {
                return ascendsim::WriteScalar(AddressOf(index), &value, sizeof(T));
            }
        }
        *element = value;
    }

    LocalTensor operator[](ascendsim::PlacedIndex index) const {
        const auto offset = offset_ + index.value * static_cast<int64_t>(sizeof(T));
        ascendsim::CheckUbAccess(handle_, offset, 0, "operator[]", "", index.where);
        const uint32_t left = index.value < size_ ? size_ - static_cast<uint32_t>(index.value) : 0;
        return LocalTensor(handle_, offset, left);
    }

    // One element, to be read or written.
    ascendsim::ElementOf<LocalTensor> operator()(ascendsim::PlacedIndex index) const {
        return {*this, index};
    }

    template <typename U>
    LocalTensor<U> ReinterpretCast() const {
        const uint64_t bytes = static_cast<uint64_t>(size_) * sizeof(T);
        return LocalTensor<U>(handle_, offset_, static_cast<uint32_t>(bytes / sizeof(U)));
    }

    uint32_t GetSize() const { return size_; }
    // What GetSize answers from now on; the bounds of accesses stay those of the buffer.
    void SetSize(uint32_t size) { size_ = size; }

    // The address of the host memory that stands for this part of UB.
    uint64_t GetPhyAddr(uint32_t index = 0,
                        ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        return reinterpret_cast<uint64_t>(Elements(index, 0, "GetPhyAddr", "S", where));
    }

    // For the model: the memory of elements [first, first + count), checked, and the UB address.
    T* Elements(int64_t first, uint64_t count, const char* operation, const char* pipe,
                ascendsim::CallSite where) const {
        const auto offset = offset_ + first * static_cast<int64_t>(sizeof(T));
        ascendsim::CheckUbAccess(handle_, offset, count * sizeof(T), operation, pipe, where);
        return reinterpret_cast<T*>(handle_.buffer->memory + offset);
    }
    uint64_t UbAddress() const { return static_cast<uint64_t>(handle_.buffer->start + offset_); }
    ascendsim::Handle GetHandle() const { return handle_; }
    LocalTensor(ascendsim::Handle handle, int64_t offset, uint32_t size)
        : handle_(handle), offset_(offset), size_(size) {}

private:
    uint64_t AddressOf(uint32_t index) const { return UbAddress() + uint64_t{index} * sizeof(T); }

    T* Scalar(uint32_t index, ascendsim::Access access, const char* operation,
              ascendsim::CallSite where) const {
        T* element = Elements(index, 1, operation, "S", where);
        const uint64_t address = AddressOf(index);
        ascendsim::CheckScalarAlignment(address, sizeof(T), operation, "UB", where);
        if constexpr (ascendsim::kChecks) {
            const ascendsim::Doer doer{operation, "S", where};
            ascendsim::DeclareUb(access, address, sizeof(T), doer);
            if (access == ascendsim::Access::Read) {
                ascendsim::JudgeScalarRead(address, sizeof(T), doer);
            } else {
                ascendsim::MarkDefined(address, sizeof(T));
            }
        }
        return element;
    }

    ascendsim::Handle handle_;
    int64_t offset_ = 0;  // bytes
    uint32_t size_ = 0;   // elements
};

}  // namespace AscendC
