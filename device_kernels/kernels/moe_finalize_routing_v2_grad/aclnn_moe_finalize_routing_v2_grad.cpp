// MoeFinalizeRoutingV2Grad in two phases, as aclnn and as kernel entry: null pointers first, then
// data types and formats, then the host tiling's rules on attributes, on tensors that belong
// together, and on shapes. Empty outputs need no work, so they are accepted before the tiling is
// asked. Without scales their gradient is not written, and of the optional tensors none is read.

#include "aclnnop/aclnn_moe_finalize_routing_v2_grad.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_finalize_routing_v2_grad.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_finalize_routing_v2_grad_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace {

using opapi::Fail;
using opapi::Operand;
using opapi::TensorView;

constexpr opapi::Phases kAclnn{"aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize",
                               "aclnnMoeFinalizeRoutingV2Grad"};
constexpr opapi::Phases kKernel{"kernelMoeFinalizeRoutingV2GradGetWorkspaceSize",
                                "kernelMoeFinalizeRoutingV2Grad"};
constexpr const char* kDocument = "MoeFinalizeRoutingV2Grad README, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Attributes {
    int64_t dropPadMode;
    int64_t activeNum;
    int64_t expertNum;
    int64_t expertCapacity;
};

struct Tensors {
    opapi::Phases phases;
    TensorView gradY;
    TensorView expandedRowIdx;
    TensorView expandedX;
    TensorView scales;
    TensorView expertIdx;
    TensorView bias;
    TensorView gradExpandedX;
    TensorView gradScales;
};

aclnnStatus CheckTypes(const Tensors& tensors) {
    const auto invalid = [&](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(tensors.phases.plan, tensor, "data type", tensor.dtype, rule,
                              kDocument);
    };
    const aclDataType dtype = tensors.gradY.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(tensors.gradY, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    for (const TensorView* tensor : {&tensors.expandedRowIdx, &tensors.expertIdx}) {
        if (tensor->isPresent && tensor->dtype != ACL_INT32) {
            return invalid(*tensor, "3 (int32)");
        }
    }
    for (const TensorView* tensor : {&tensors.expandedX, &tensors.scales, &tensors.bias,
                                     &tensors.gradExpandedX, &tensors.gradScales}) {
        if (tensor->isPresent && tensor->dtype != dtype) {
            return invalid(*tensor, "that of gradY, " + std::to_string(dtype));
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const Tensors& tensors) {
    const auto all = {&tensors.gradY,         &tensors.expandedRowIdx, &tensors.expandedX,
                      &tensors.scales,        &tensors.expertIdx,      &tensors.bias,
                      &tensors.gradExpandedX, &tensors.gradScales};
    aclnnStatus status = CheckTypes(tensors);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(tensors.phases.plan, all, kDocument);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(tensors.phases.plan, all);
}

SlotCopyList ListOf(const TensorView& tensor) { return {tensor.shape.data(), tensor.shape.size()}; }

aclnnStatus CutCall(const Tensors& tensors, const Attributes& attributes,
                    MoeFinalizeRoutingV2GradTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(tensors.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeFinalizeRoutingV2GradCall call{ListOf(tensors.gradY),
                                            ListOf(tensors.expandedRowIdx),
                                            ListOf(tensors.expandedX),
                                            ListOf(tensors.scales),
                                            ListOf(tensors.expertIdx),
                                            ListOf(tensors.bias),
                                            ListOf(tensors.gradExpandedX),
                                            ListOf(tensors.gradScales),
                                            tensors.expandedX.isPresent,
                                            tensors.scales.isPresent,
                                            tensors.expertIdx.isPresent,
                                            tensors.bias.isPresent,
                                            attributes.dropPadMode,
                                            attributes.activeNum,
                                            attributes.expertNum,
                                            attributes.expertCapacity,
                                            tensors.gradY.dtype,
                                            machine.vectorCores,
                                            machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeFinalizeRoutingV2GradTiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(tensors.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeFinalizeRoutingV2GradTilingData tiling;
    uint64_t tilingOffset;
    Operand gradY;
    Operand expandedRowIdx;
    Operand expandedX;
    Operand scales;
    Operand expertIdx;
    Operand bias;
    Operand gradExpandedX;
    Operand gradScales;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        const auto inputs = {&gradY, &expandedRowIdx, &expandedX, &scales, &expertIdx, &bias};
        aclnnStatus status = ACLNN_SUCCESS;
        for (const Operand* input : inputs) {
            if (status == ACLNN_SUCCESS) {
                status = input->CopyIn(workspace, stream);
            }
        }
        if (status == ACLNN_SUCCESS) {
            status = opapi::UploadTiling(&tiling, sizeof(tiling), tilingOnDevice, stream);
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        for (const Operand* input : inputs) {
            input->Describe(workspace, /*writable=*/false);
        }
        gradExpandedX.Describe(workspace, /*writable=*/true);
        gradScales.Describe(workspace, /*writable=*/true);
        opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_finalize_routing_v2_grad(
            static_cast<uint32_t>(tiling.usedCores), stream, gradY.Address(workspace),
            expandedRowIdx.Address(workspace), expandedX.Address(workspace),
            scales.Address(workspace), expertIdx.Address(workspace), bias.Address(workspace),
            gradExpandedX.Address(workspace), gradScales.Address(workspace), tilingOnDevice);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

bool HasNoOutput(const Tensors& tensors) {
    return tensors.gradExpandedX.IsEmpty() &&
           (!tensors.gradScales.isPresent || tensors.gradScales.IsEmpty());
}

aclnnStatus MakePlan(Tensors tensors, const Attributes& attributes, uint64_t* workspaceSize,
                     aclOpExecutor** executor) {
    const char* function = tensors.phases.plan;
    aclnnStatus status = opapi::CheckResults(function, workspaceSize, executor);
    if (status == ACLNN_SUCCESS) {
        status = Check(tensors);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (HasNoOutput(tensors)) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeFinalizeRoutingV2GradTilingData tiling{};
    status = opapi::CheckDense(function, {&tensors.gradExpandedX, &tensors.gradScales});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(tensors, attributes, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    const auto operand = [&plan](TensorView& tensor) { return Operand(std::move(tensor), &plan); };
    plan.run = Launch{tensors.phases.run,
                      tiling,
                      tilingOffset,
                      operand(tensors.gradY),
                      operand(tensors.expandedRowIdx),
                      operand(tensors.expandedX),
                      operand(tensors.scales),
                      operand(tensors.expertIdx),
                      operand(tensors.bias),
                      operand(tensors.gradExpandedX),
                      operand(tensors.gradScales)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* gradY,
                     const aclTensor* expandedRowIdx, const aclTensor* expandedX,
                     const aclTensor* scales, const aclTensor* expertIdx, const aclTensor* bias,
                     const Attributes& attributes, const aclTensor* gradExpandedX,
                     const aclTensor* gradScales, uint64_t* workspaceSize,
                     aclOpExecutor** executor) {
    Tensors tensors{phases, {}, {}, {}, {}, {}, {}, {}, {}};
    const bool mayLackGradScales = scales == nullptr;
    const aclnnStatus status = opapi::Capture(
        phases.plan, {{gradY, "gradY", &tensors.gradY},
                      {expandedRowIdx, "expandedRowIdx", &tensors.expandedRowIdx},
                      {expandedX, "expandedXOptional", &tensors.expandedX, /*isOptional=*/true},
                      {scales, "scalesOptional", &tensors.scales, /*isOptional=*/true},
                      {expertIdx, "expertIdxOptional", &tensors.expertIdx, /*isOptional=*/true},
                      {bias, "biasOptional", &tensors.bias, /*isOptional=*/true},
                      {gradExpandedX, "gradExpandedXOut", &tensors.gradExpandedX},
                      {gradScales, "gradScalesOut", &tensors.gradScales, mayLackGradScales}});
    return status != ACLNN_SUCCESS
               ? status
               : MakePlan(std::move(tensors), attributes, workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize(
    const aclTensor* gradY, const aclTensor* expandedRowIdx, const aclTensor* expandedXOptional,
    const aclTensor* scalesOptional, const aclTensor* expertIdxOptional,
    const aclTensor* biasOptional, int64_t dropPadMode, int64_t activeNum, int64_t expertNum,
    int64_t expertCapacity, const aclTensor* gradExpandedXOut, const aclTensor* gradScalesOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kAclnn, gradY, expandedRowIdx, expandedXOptional, scalesOptional,
                    expertIdxOptional, biasOptional,
                    {dropPadMode, activeNum, expertNum, expertCapacity}, gradExpandedXOut,
                    gradScalesOut, workspaceSize, executor);
}

aclnnStatus aclnnMoeFinalizeRoutingV2Grad(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeFinalizeRoutingV2GradGetWorkspaceSize(
    const aclTensor* gradY, const aclTensor* expandedRowIdx, const aclTensor* expandedXOptional,
    const aclTensor* scalesOptional, const aclTensor* expertIdxOptional,
    const aclTensor* biasOptional, int64_t dropPadMode, int64_t activeNum, int64_t expertNum,
    int64_t expertCapacity, const aclTensor* gradExpandedXOut, const aclTensor* gradScalesOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kKernel, gradY, expandedRowIdx, expandedXOptional, scalesOptional,
                    expertIdxOptional, biasOptional,
                    {dropPadMode, activeNum, expertNum, expertCapacity}, gradExpandedXOut,
                    gradScalesOut, workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeFinalizeRoutingV2Grad(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
