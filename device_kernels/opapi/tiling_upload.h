// The tiling struct's way to the device.
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"
#include "aclnn/aclnn_base.h"

namespace opapi {

/// Submits a copy of `bytes` bytes of tiling to `target` in device memory, ordered on the stream:
/// an earlier kernel of the stream may still be using that workspace. The host side of an
/// asynchronous copy must not change until the copy has run, and nothing tells when that is. So the
/// bytes are kept for the life of the process, each distinct tiling once.
aclnnStatus UploadTiling(const void* tiling, uint64_t bytes, void* target, aclrtStream stream);

}  // namespace opapi
