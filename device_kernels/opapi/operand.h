// The tensors of a call as its kernels see them: contiguous, in the workspace where the caller's
// are not.
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"
#include "plan.h"
#include "tensor_view.h"

namespace opapi {

class Operand {
public:
    /// Sets workspace aside where the tensor needs a contiguous stand-in; an absent one needs none.
    Operand(TensorView captured, Plan* plan);

    /// Where kernels find or leave the elements; null where the tensor is absent.
    void* Address(uint8_t* workspace) const;

    /// Names the elements for the next launch (DescribeRegion).
    void Describe(uint8_t* workspace, bool writable) const;

    /// Of an input: submits its contiguous copy, if there is to be one.
    aclnnStatus CopyIn(uint8_t* workspace, aclrtStream stream) const;

    /// Of an output: submits the copy to its own place, if kernels wrote a stand-in.
    aclnnStatus CopyOut(uint8_t* workspace, aclrtStream stream) const;

private:
    TensorView tensor_;
    bool isContiguous_;
    uint64_t offset_ = 0;
};

}  // namespace opapi
