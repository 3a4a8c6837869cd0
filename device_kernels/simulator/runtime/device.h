// The current device of a thread.
#pragma once

#include "acl/acl_base.h"

namespace ascendsim {

/// 0 where the calling thread has a device, else 107002 with a text that names `function`.
aclError NeedDevice(const char* function);

/// 0 where the simulated host has this device, else 107001 with a text that names both.
aclError CheckDeviceId(const char* function, const char* parameter, int64_t device);

}  // namespace ascendsim
