// Strided inputs: a contiguous copy of them in the workspace.
#pragma once

#include "acl/acl_rt.h"
#include "tensor_view.h"

namespace opapi {

/// Submits copies of every element of `source`, in C order, to `target` (device memory of
/// source.Bytes() bytes). One copy for each run of elements that lie side by side, so a view whose
/// last axis is strided costs a copy per element: right everywhere, fast nowhere.
aclnnStatus CopyDense(const TensorView& source, void* target, aclrtStream stream);

}  // namespace opapi
