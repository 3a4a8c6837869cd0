// Host memory that a device may read: here any host memory is.

#include <cstdlib>
#include <string>

#include "acl/acl.h"
#include "errors.h"

using namespace ascendsim;

extern "C" {

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    if (hostPtr == nullptr) {
        return NullArgument("aclrtMallocHost", "hostPtr");
    }
    constexpr size_t kPage = 4096;
    *hostPtr = size == 0 ? nullptr : std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
    return *hostPtr != nullptr
               ? ACL_SUCCESS
               : Fail(size == 0 ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_MEMORY_ALLOCATION,
                      "aclrtMallocHost: size is " + std::to_string(size) +
                          " bytes; it must be greater than 0, and the host must have them");
}

aclError aclrtFreeHost(void* hostPtr) {
    if (hostPtr == nullptr) {
        return NullArgument("aclrtFreeHost", "hostPtr");
    }
    std::free(hostPtr);
    return ACL_SUCCESS;
}
}
