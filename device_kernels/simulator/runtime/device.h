// The devices of the simulated host, one or as many as ASCENDSIM_DEVICES says (1 to 64), and the
// current one of a thread. All share one memory and one machine.
#pragma once

#include "acl/acl_base.h"

namespace ascendsim {

/// 0 where the calling thread has a device, else 107002 with a text that names `function`.
aclError NeedDevice(const char* function);

/// The calling thread's device, below 0 where it has none.
int32_t CurrentDevice();

/// 0 where the simulated host has this device, else 107001 with a text that names both.
aclError CheckDeviceId(const char* function, const char* parameter, int64_t device);

}  // namespace ascendsim
