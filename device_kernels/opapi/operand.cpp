#include "operand.h"

#include <utility>

#include "dense_copy.h"
#include "machine.h"

namespace opapi {

Operand::Operand(TensorView captured, Plan* plan)
    : tensor_(std::move(captured)), isContiguous_(!tensor_.isPresent || tensor_.IsContiguous()) {
    if (!isContiguous_) {
        offset_ = plan->Reserve(tensor_.Bytes());
    }
}

void* Operand::Address(uint8_t* workspace) const {
    return isContiguous_ ? tensor_.data : workspace + offset_;
}

void Operand::Describe(uint8_t* workspace, bool writable) const {
    if (tensor_.isPresent) {
        DescribeRegion(Address(workspace), tensor_.Bytes(), tensor_.name, writable);
    }
}

aclnnStatus Operand::CopyIn(uint8_t* workspace, aclrtStream stream) const {
    return isContiguous_ ? ACLNN_SUCCESS : CopyDense(tensor_, Address(workspace), stream);
}

aclnnStatus Operand::CopyOut(uint8_t* workspace, aclrtStream stream) const {
    return isContiguous_ ? ACLNN_SUCCESS : CopyApart(Address(workspace), tensor_, stream);
}

}  // namespace opapi
