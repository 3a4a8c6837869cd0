// The current device of a thread.
#pragma once

#include "acl/acl_base.h"

namespace ascendsim {

/// 0 where the calling thread has a device, else 107002 with a text that names `function`.
aclError NeedDevice(const char* function);

}  // namespace ascendsim
