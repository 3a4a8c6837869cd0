// The second entry of an operator: the project's own kernels, also where CANN has its own operator
// of that name. `kernel<Operator>GetWorkspaceSize` and `kernel<Operator>` are called as the aclnn
// functions are, but for an array of integers, which is passed as a pointer (null: none) and a
// count: CANN has no public function for the values of an aclIntArray.
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"
#include "aclnn/aclnn_base.h"

#define MOE_KERNEL_ENTRY extern "C" __attribute__((visibility("default"))) aclnnStatus
