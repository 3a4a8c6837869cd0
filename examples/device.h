// What the programs of this folder need of ACL: a device with its stream, arrays that lie on it,
// and an exception where a call fails. Public functions only: the same text compiles for CANN.
#ifndef EXAMPLES_DEVICE_H
#define EXAMPLES_DEVICE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

// Throws where a call of ACL or aclnn does not return 0; the text is the interface's own.
#define CHECK(call) Check((call), #call)

inline void Check(int status, const char* call) {
    if (status == 0) return;
    const char* text = aclGetRecentErrMsg();
    throw std::runtime_error(std::string(call) + ": status " + std::to_string(status) + " " +
                             (text != nullptr ? text : ""));
}

// Releases what a destructor owns: there is nobody left to throw to, so a failure is printed.
#define RELEASE(call) Release((call), #call)

inline void Release(int status, const char* call) {
    if (status != 0) std::fprintf(stderr, "%s: status %d\n", call, status);
}

// The first device, with a stream of its own. Everything on it must end before it does.
class Device {
public:
    Device() {
        CHECK(aclInit(nullptr));
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtCreateStream(&stream_));
    }
    ~Device() {
        RELEASE(aclrtDestroyStream(stream_));
        RELEASE(aclrtResetDevice(0));
        RELEASE(aclFinalize());
    }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    aclrtStream Stream() const { return stream_; }

private:
    aclrtStream stream_ = nullptr;
};

// Bytes on the device; none where an operator needs no workspace.
class Memory {
public:
    explicit Memory(size_t bytes) {
        if (bytes > 0) CHECK(aclrtMalloc(&address_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    ~Memory() {
        if (address_ != nullptr) RELEASE(aclrtFree(address_));
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* Address() const { return address_; }

private:
    void* address_ = nullptr;
};

inline aclDataType TypeOf(float) { return ACL_FLOAT; }
inline aclDataType TypeOf(int8_t) { return ACL_INT8; }
inline aclDataType TypeOf(int32_t) { return ACL_INT32; }
inline aclDataType TypeOf(int64_t) { return ACL_INT64; }

// A dense tensor on the device, made of values of the host in row-major order. The tensor's data
// type is that of T: a tensor of another type would read the same bytes as other numbers.
template <typename T>
class Array {
public:
    Array(std::string name, std::vector<int64_t> shape, const std::vector<T>& values)
        : name_(std::move(name)),
          shape_(std::move(shape)),
          count_(values.size()),
          memory_(Bytes()) {
        std::vector<int64_t> strides(shape_.size(), 1);
        for (size_t axis = shape_.size() - 1; axis > 0; --axis) {
            strides[axis - 1] = strides[axis] * shape_[axis];
        }
        if (strides[0] * shape_[0] != static_cast<int64_t>(count_)) {
            throw std::invalid_argument(name_ + ": the shape has another number of elements than " +
                                        std::to_string(count_));
        }
        CHECK(aclrtMemcpy(memory_.Address(), Bytes(), values.data(), Bytes(),
                          ACL_MEMCPY_HOST_TO_DEVICE));
        tensor_ = aclCreateTensor(shape_.data(), shape_.size(), TypeOf(T()), strides.data(), 0,
                                  ACL_FORMAT_ND, shape_.data(), shape_.size(), memory_.Address());
        if (tensor_ == nullptr) throw std::runtime_error(name_ + ": aclCreateTensor gave none");
    }
    ~Array() { RELEASE(aclDestroyTensor(tensor_)); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    aclTensor* Tensor() const { return tensor_; }

    // The name and shape, and each row of the last axis as it is on the device now.
    void Print() const {
        std::vector<T> values(count_);
        CHECK(aclrtMemcpy(values.data(), Bytes(), memory_.Address(), Bytes(),
                          ACL_MEMCPY_DEVICE_TO_HOST));
        std::ostringstream text;
        text.precision(8);
        text << name_ << " [";
        for (size_t axis = 0; axis < shape_.size(); ++axis) {
            text << (axis > 0 ? ", " : "") << shape_[axis];
        }
        text << "]";
        const size_t columns = static_cast<size_t>(shape_.back());
        for (size_t i = 0; i < count_; ++i) {
            text << (i % columns == 0 ? "\n  " : " ") << +values[i];
        }
        std::printf("%s\n", text.str().c_str());
    }

private:
    size_t Bytes() const { return count_ * sizeof(T); }

    std::string name_;
    std::vector<int64_t> shape_;
    size_t count_;
    Memory memory_;
    aclTensor* tensor_ = nullptr;
};

#endif
