// The two phases of an operator of four elements. The addend is the number of blocks; with none
// phase 2 itself crashes.
#include "aclnn/acl_meta.h"
#include "aclrtlaunch_ill.h"
#include "ascendsim.h"
#include "plan.h"
#include "tensor_view.h"

extern "C" ACL_FUNC_VISIBILITY aclnnStatus aclnnIllGetWorkspaceSize(const aclTensor* x,
                                                                    int64_t addend,
                                                                    const aclTensor* y,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor) {
    opapi::TensorView from;
    opapi::TensorView to;
    const aclnnStatus status = opapi::Capture(__func__, {{x, "x", &from}, {y, "y", &to}});
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    plan.Reserve(32);  // a plan that does something has a workspace
    plan.run = [=](uint8_t*, aclrtStream stream) {
        if (addend == 0) {
            *static_cast<volatile int*>(nullptr) = 1;
        }
        ascendsimDescribeRegion(from.data, from.Bytes(), "x", 0);
        ascendsimDescribeRegion(to.data, to.Bytes(), "y", 1);
        return static_cast<aclnnStatus>(
            aclrtlaunch_ill(static_cast<uint32_t>(addend), stream, from.data, to.data));
    };
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

extern "C" ACL_FUNC_VISIBILITY aclnnStatus aclnnIll(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(__func__, workspace, workspaceSize, executor, stream);
}
