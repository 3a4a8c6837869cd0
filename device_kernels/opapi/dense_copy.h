// Strided tensors: a contiguous copy of them in the workspace, and the way back.
#pragma once

#include "acl/acl_rt.h"
#include "tensor_view.h"

namespace opapi {

/// Submits copies of every element of `source`, in C order, to `target` (device memory of
/// source.Bytes() bytes). One copy for each run of elements that lie side by side, so a view whose
/// last axis is strided costs a copy per element: right everywhere, fast nowhere.
aclnnStatus CopyDense(const TensorView& source, void* target, aclrtStream stream);

/// Submits copies of every element of `source` (device memory of target.Bytes() bytes, C order) to
/// its place in `target`; the gaps between them are left alone.
aclnnStatus CopyApart(const void* source, const TensorView& target, aclrtStream stream);

}  // namespace opapi
