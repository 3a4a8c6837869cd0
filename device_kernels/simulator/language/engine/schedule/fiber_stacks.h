// What AddressSanitizer has to know of a change of stacks: nothing in other builds.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define ASCENDSIM_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASCENDSIM_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ASCENDSIM_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace ascendsim {

// The two stacks of a fiber, its caller's and its own. Each change is told before and after it.
class FiberStacks {
public:
#ifdef ASCENDSIM_ADDRESS_SANITIZER
    void LeaveCaller(const uint8_t* stack, size_t bytes) {
        __sanitizer_start_switch_fiber(&callerFrames_, stack, bytes);
    }
    void EnterCaller() { __sanitizer_finish_switch_fiber(callerFrames_, nullptr, nullptr); }
    void LeaveFiber() { __sanitizer_start_switch_fiber(&ownFrames_, callerStack_, callerBytes_); }
    void EnterFiber() { __sanitizer_finish_switch_fiber(ownFrames_, &callerStack_, &callerBytes_); }
    void EndFiber() {
        ownFrames_ = nullptr;
        __sanitizer_start_switch_fiber(nullptr, callerStack_, callerBytes_);
    }

private:
    void* callerFrames_ = nullptr;
    void* ownFrames_ = nullptr;
    const void* callerStack_ = nullptr;
    size_t callerBytes_ = 0;
#else
    void LeaveCaller(const uint8_t*, size_t) {}
    void EnterCaller() {}
    void LeaveFiber() {}
    void EnterFiber() {}
    void EndFiber() {}
#endif
};

}  // namespace ascendsim
