// MoeInitRoutingV2Grad in two phases, as aclnn and as kernel entry, with CANN's checks in CANN's
// order: null pointers, then data types and formats, then the host tiling's rules on attributes and
// shapes. An empty output needs no work, so it is accepted before the tiling is asked.

#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_init_routing_v2_grad.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_init_routing_v2_grad_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace {

using opapi::Fail;
using opapi::TensorView;

constexpr opapi::Phases kAclnn{"aclnnMoeInitRoutingV2GradGetWorkspaceSize",
                               "aclnnMoeInitRoutingV2Grad"};
constexpr opapi::Phases kKernel{"kernelMoeInitRoutingV2GradGetWorkspaceSize",
                                "kernelMoeInitRoutingV2Grad"};
constexpr const char* kDefinition = "operator definition of MoeInitRoutingV2Grad";
constexpr uint64_t kReasonBytes = 512;

struct Tensors {
    opapi::Phases phases;
    TensorView gradExpandedX;
    TensorView expandedRowIdx;
    TensorView out;
};

aclnnStatus Invalid(const Tensors& tensors, const TensorView& tensor, const char* what,
                    int64_t value, const std::string& rule) {
    return opapi::Invalid(tensors.phases.plan, tensor, what, value, rule, kDefinition);
}

aclnnStatus CheckTypes(const Tensors& tensors) {
    const aclDataType dtype = tensors.gradExpandedX.dtype;
    if (!opapi::IsFloating(dtype)) {
        return Invalid(tensors, tensors.gradExpandedX, "data type", dtype,
                       "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (tensors.expandedRowIdx.dtype != ACL_INT32) {
        return Invalid(tensors, tensors.expandedRowIdx, "data type", tensors.expandedRowIdx.dtype,
                       "3 (int32)");
    }
    if (tensors.out.dtype != dtype) {
        return Invalid(tensors, tensors.out, "data type", tensors.out.dtype,
                       "that of gradExpandedX, " + std::to_string(dtype));
    }
    if (tensors.expandedRowIdx.shape.empty()) {
        return Invalid(tensors, tensors.expandedRowIdx, "rank", 0, "1");
    }
    return opapi::CheckFormats(tensors.phases.plan,
                               {&tensors.gradExpandedX, &tensors.expandedRowIdx, &tensors.out},
                               kDefinition);
}

MoeInitRoutingV2GradShape ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Tensors& tensors, int64_t topK, int64_t dropPadMode, int64_t activeNum,
                    MoeInitRoutingV2GradTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(tensors.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeInitRoutingV2GradCall call{ShapeOf(tensors.gradExpandedX),
                                        ShapeOf(tensors.expandedRowIdx),
                                        ShapeOf(tensors.out),
                                        topK,
                                        dropPadMode,
                                        activeNum,
                                        tensors.gradExpandedX.dtype,
                                        machine.vectorCores,
                                        machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeInitRoutingV2GradTiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(tensors.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeInitRoutingV2GradTilingData tiling;
    uint64_t tilingOffset;
    opapi::Operand gradExpandedX;
    opapi::Operand expandedRowIdx;
    TensorView out;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        aclnnStatus status = gradExpandedX.CopyIn(workspace, stream);
        if (status == ACLNN_SUCCESS) {
            status = expandedRowIdx.CopyIn(workspace, stream);
        }
        if (status == ACLNN_SUCCESS) {
            status = opapi::UploadTiling(&tiling, sizeof(tiling), tilingOnDevice, stream);
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        gradExpandedX.Describe(workspace, /*writable=*/false);
        expandedRowIdx.Describe(workspace, /*writable=*/false);
        opapi::DescribeRegion(out.data, out.Bytes(), out.name, /*writable=*/true);
        opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_init_routing_v2_grad(
            static_cast<uint32_t>(tiling.usedCores), stream, gradExpandedX.Address(workspace),
            expandedRowIdx.Address(workspace), out.data, workspace, tilingOnDevice);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* gradExpandedX,
                     const aclTensor* expandedRowIdx, int64_t topK, int64_t dropPadMode,
                     int64_t activeNum, const aclTensor* out, uint64_t* workspaceSize,
                     aclOpExecutor** executor) {
    Tensors tensors{phases, {}, {}, {}};
    aclnnStatus status =
        opapi::Capture(phases.plan, {{gradExpandedX, "gradExpandedX", &tensors.gradExpandedX},
                                     {expandedRowIdx, "expandedRowIdx", &tensors.expandedRowIdx},
                                     {out, "out", &tensors.out}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(phases.plan, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = CheckTypes(tensors);
    }
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckLayouts(
            phases.plan, {&tensors.gradExpandedX, &tensors.expandedRowIdx, &tensors.out});
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (tensors.out.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeInitRoutingV2GradTilingData tiling{};
    status = opapi::CheckDense(phases.plan, {&tensors.out});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(tensors, topK, dropPadMode, activeNum, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    opapi::Operand sourceRows(std::move(tensors.gradExpandedX), &plan);
    opapi::Operand rowIndices(std::move(tensors.expandedRowIdx), &plan);
    plan.run = Launch{phases.run,
                      tiling,
                      tilingOffset,
                      std::move(sourceRows),
                      std::move(rowIndices),
                      std::move(tensors.out)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeInitRoutingV2GradGetWorkspaceSize(const aclTensor* gradExpandedX,
                                                      const aclTensor* expandedRowIdx, int64_t topK,
                                                      int64_t dropPadMode, int64_t activeNum,
                                                      const aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
    return MakePlan(kAclnn, gradExpandedX, expandedRowIdx, topK, dropPadMode, activeNum, out,
                    workspaceSize, executor);
}

aclnnStatus aclnnMoeInitRoutingV2Grad(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeInitRoutingV2GradGetWorkspaceSize(const aclTensor* gradExpandedX,
                                                            const aclTensor* expandedRowIdx,
                                                            int64_t topK, int64_t dropPadMode,
                                                            int64_t activeNum, const aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor) {
    return MakePlan(kKernel, gradExpandedX, expandedRowIdx, topK, dropPadMode, activeNum, out,
                    workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeInitRoutingV2Grad(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
