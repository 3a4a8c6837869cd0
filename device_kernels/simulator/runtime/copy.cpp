// Copies between host and device memory: both are host memory here, so a copy that a device would
// refuse has to be refused by looking at the addresses.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "device.h"
#include "errors.h"
#include "faults.h"
#include "memory.h"
#include "stream.h"
#include "tally.h"

namespace ascendsim {
namespace {

std::string Range(const char* name, const void* start, uint64_t bytes) {
    return std::string(name) + " " + Hex(start) + " + " + std::to_string(bytes) + " bytes";
}

// Whether [start, start + bytes) may be copied. Where `device`, it must be device memory.
aclError CheckRange(const char* function, const char* name, const void* start, uint64_t bytes,
                    bool device) {
    const std::optional<Allocation> allocation = AllocationAt(start);
    if (!allocation) {
        if (!device) {
            return ACL_SUCCESS;
        }
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    std::string(function) + ": " + Range(name, start, bytes) +
                        " is not device memory: no live aclrtMalloc holds it (kind says device)");
    }
    // An address in the padding behind an allocation leaves no room at all.
    const uint64_t offset = reinterpret_cast<uintptr_t>(start) - allocation->start;
    const uint64_t room = allocation->bytes - std::min(offset, allocation->bytes);
    if (bytes > room) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    std::string(function) + ": " + Range(name, start, bytes) +
                        " passes the end of its allocation, which has " + std::to_string(room) +
                        " bytes from there");
    }
    return ACL_SUCCESS;
}

aclError CheckCopy(const char* function, const void* dst, uint64_t destMax, const void* src,
                   uint64_t count, aclrtMemcpyKind kind) {
    if (dst == nullptr) {
        return NullArgument(function, "dst");
    }
    if (src == nullptr) {
        return NullArgument(function, "src");
    }
    if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEFAULT) {
        return Fail(ACL_ERROR_INVALID_PARAM, std::string(function) + ": kind is " +
                                                 std::to_string(kind) +
                                                 "; it must be 0 to 4 (aclrtMemcpyKind)");
    }
    if (count > destMax) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, std::string(function) + ": count is " +
                                                    std::to_string(count) + ", destMax is " +
                                                    std::to_string(destMax) +
                                                    "; count must not exceed destMax");
    }
    const bool toDevice = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const bool fromDevice =
        kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const aclError status = CheckRange(function, "dst", dst, count, toDevice);
    if (status != ACL_SUCCESS) {
        return status;
    }
    return CheckRange(function, "src", src, count, fromDevice);
}

void Move(void* dst, const void* src, uint64_t count, const Fault& fault) {
    std::memmove(dst, src, fault.isShort ? count / 2 : count);
    if (fault.isWrong && count > 0) {
        static_cast<uint8_t*>(dst)[count / 2] ^= 1;
    }
    if (count > 0 && AllocationAt(dst) && AllocationAt(src)) {
        CountTask();
    }
}

// `run` makes of the copy what it is to be: done now, or a task. It is a template's, as a tensor
// that is not contiguous is copied element by element.
template <typename Run>
aclError Copy(const char* function, void* dst, uint64_t destMax, const void* src, uint64_t count,
              aclrtMemcpyKind kind, const Run& run) {
    const aclError status = CheckCopy(function, dst, destMax, src, count, kind);
    if (status != ACL_SUCCESS) {
        return status;
    }
    const Fault fault = CountCall(function, CurrentDevice());
    if (fault.status == ACL_SUCCESS) {
        run([=] { Move(dst, src, count, fault); });
    }
    return fault.status;
}

template <typename Run>
aclError Set(const char* function, void* devPtr, size_t maxCount, int32_t value, size_t count,
             const Run& run) {
    if (devPtr == nullptr) {
        return NullArgument(function, "devPtr");
    }
    if (count > maxCount) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, std::string(function) + ": count is " +
                                                    std::to_string(count) + ", maxCount is " +
                                                    std::to_string(maxCount) +
                                                    "; count must not exceed maxCount");
    }
    aclError status = CheckRange(function, "devPtr", devPtr, count, /*device=*/false);
    if (status == ACL_SUCCESS) {
        status = Injected(function);
    }
    if (status == ACL_SUCCESS) {
        run([=] {
            std::memset(devPtr, value, count);
            CountTask();
        });
    }
    return status;
}

constexpr auto AtOnce = [](const auto& task) { task(); };

// Hands tasks to a stream. Memory that is no device memory any more when a task comes to run would
// fault in the midst of it: then the stream fails instead.
template <size_t Count>
auto On(const char* function, aclrtStream stream, std::array<const void*, Count> touched) {
    for (const void*& one : touched) {
        one = AllocationAt(one) ? one : nullptr;
    }
    return [=](const auto& task) {
        Submit(stream, [=] {
            for (const void* one : touched) {
                if (one != nullptr && !AllocationAt(one)) {
                    const std::string text = std::string(function) + ": " + Hex(one) +
                                             " was freed before its stream came to the copy";
                    KeepFailure(function, ACL_ERROR_RT_PARAM_INVALID, text, /*isLaunch=*/false);
                    FailStream(stream, ACL_ERROR_RT_PARAM_INVALID, text);
                    return;
                }
            }
            task();
        });
    };
}

// Keeps what the function answers: who called it may drop it.
aclError Answered(const char* function, aclError status) {
    if (status != ACL_SUCCESS) {
        KeepFailure(function, status, NewestText(), /*isLaunch=*/false);
    }
    return status;
}

}  // namespace
}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
    const aclError status = NeedDevice(__func__);
    return Answered(__func__, status != ACL_SUCCESS
                                  ? status
                                  : Copy(__func__, dst, destMax, src, count, kind, AtOnce));
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
    const aclError status = NeedStream(__func__, stream);
    return Answered(__func__,
                    status != ACL_SUCCESS
                        ? status
                        : Copy(__func__, dst, destMax, src, count, kind,
                               On(__func__, stream, std::array<const void*, 2>{dst, src})));
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
    const aclError status = NeedStream(__func__, stream);
    return Answered(__func__, status != ACL_SUCCESS
                                  ? status
                                  : Set(__func__, devPtr, maxCount, value, count,
                                        On(__func__, stream, std::array<const void*, 1>{devPtr})));
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    const aclError status = NeedDevice(__func__);
    return Answered(__func__, status != ACL_SUCCESS
                                  ? status
                                  : Set(__func__, devPtr, maxCount, value, count, AtOnce));
}
}
