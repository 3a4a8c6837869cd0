// MoeFinalizeRoutingV2 in two phases, as aclnn and as kernel entry: null pointers first, then data
// types and formats, then the host tiling's rules on mode and shapes. An empty output needs no
// work, so it is accepted before the tiling is asked.

#include "aclnnop/aclnn_moe_finalize_routing_v2.h"

#include <string>
#include <utility>
#include <vector>

#include "aclrtlaunch_moe_finalize_routing_v2.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_finalize_routing_v2_tiling.h"
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

constexpr opapi::Phases kAclnn{"aclnnMoeFinalizeRoutingV2GetWorkspaceSize",
                               "aclnnMoeFinalizeRoutingV2"};
constexpr opapi::Phases kKernel{"kernelMoeFinalizeRoutingV2GetWorkspaceSize",
                                "kernelMoeFinalizeRoutingV2"};
constexpr const char* kDocument = "MoeFinalizeRoutingV2 README, parameters";
constexpr const char* kDefinition = "operator definition of MoeFinalizeRoutingV2";
constexpr uint64_t kReasonBytes = 512;

// The tensors of a call as the interface has them.
struct Arguments {
    const aclTensor* expandedX;
    const aclTensor* expandedRowIdx;
    const aclTensor* x1;
    const aclTensor* x2;
    const aclTensor* bias;
    const aclTensor* scales;
    const aclTensor* expertIdx;
    const aclTensor* out;
};

struct Tensors {
    opapi::Phases phases;
    TensorView expandedX;
    TensorView expandedRowIdx;
    TensorView x1;
    TensorView x2;
    TensorView bias;
    TensorView scales;
    TensorView expertIdx;
    TensorView out;
};

aclnnStatus CheckTypes(const Tensors& tensors) {
    const auto invalid = [&](const TensorView& tensor, const std::string& rule,
                             const char* source) {
        return opapi::Invalid(tensors.phases.plan, tensor, "data type", tensor.dtype, rule, source);
    };
    const aclDataType dtype = tensors.expandedX.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(tensors.expandedX, "0 (fp32), 1 (fp16) or 27 (bf16)", kDocument);
    }
    for (const TensorView* indices : {&tensors.expandedRowIdx, &tensors.expertIdx}) {
        if (indices->isPresent && indices->dtype != ACL_INT32) {
            return invalid(*indices, "3 (int32)", kDocument);
        }
    }
    const std::string same = "that of expandedX, " + std::to_string(dtype);
    for (const TensorView* rows : {&tensors.x1, &tensors.x2, &tensors.bias, &tensors.out}) {
        if (rows->isPresent && rows->dtype != dtype) {
            return invalid(*rows, same, kDefinition);
        }
    }
    const bool isMixed = dtype == ACL_BF16 && tensors.scales.dtype == ACL_FLOAT;
    if (tensors.scales.isPresent && tensors.scales.dtype != dtype && !isMixed) {
        return invalid(tensors.scales, same + (dtype == ACL_BF16 ? ", or 0 (fp32)" : ""),
                       kDefinition);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const Tensors& tensors) {
    const auto all = {
        &tensors.expandedX, &tensors.expandedRowIdx, &tensors.x1,        &tensors.x2,
        &tensors.bias,      &tensors.scales,         &tensors.expertIdx, &tensors.out};
    aclnnStatus status = CheckTypes(tensors);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(tensors.phases.plan, all, kDocument);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(tensors.phases.plan, all);
}

MoeFinalizeRoutingV2Shape ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Tensors& tensors, int64_t dropPadMode,
                    MoeFinalizeRoutingV2TilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(tensors.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    static_assert(ACL_DT_UNDEFINED == -1, "what the tiling takes for scales that are not there");
    const MoeFinalizeRoutingV2Call call{ShapeOf(tensors.expandedX),
                                        ShapeOf(tensors.expandedRowIdx),
                                        ShapeOf(tensors.x1),
                                        ShapeOf(tensors.x2),
                                        ShapeOf(tensors.bias),
                                        ShapeOf(tensors.scales),
                                        ShapeOf(tensors.expertIdx),
                                        ShapeOf(tensors.out),
                                        tensors.x1.isPresent,
                                        tensors.x2.isPresent,
                                        tensors.bias.isPresent,
                                        tensors.expertIdx.isPresent,
                                        dropPadMode,
                                        tensors.expandedX.dtype,
                                        tensors.scales.dtype,
                                        machine.vectorCores,
                                        machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeFinalizeRoutingV2Tiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(tensors.phases.plan) + ": " + reason);
}

// Places of the inputs in Launch, in the order of the interface.
enum Input { EXPANDED_X, EXPANDED_ROW_IDX, X1, X2, BIAS, SCALES, EXPERT_IDX };

struct Launch {
    const char* function;
    MoeFinalizeRoutingV2TilingData tiling;
    uint64_t tilingOffset;
    std::vector<Operand> inputs;
    Operand out;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        aclnnStatus status = ACLNN_SUCCESS;
        for (const Operand& input : inputs) {
            if (status == ACLNN_SUCCESS) {
                status = input.CopyIn(workspace, stream);
            }
        }
        if (status == ACLNN_SUCCESS) {
            status = opapi::UploadTiling(&tiling, sizeof(tiling), tilingOnDevice, stream);
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        for (const Operand& input : inputs) {
            input.Describe(workspace, /*writable=*/false);
        }
        out.Describe(workspace, /*writable=*/true);
        opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const auto at = [&](Input input) { return inputs[input].Address(workspace); };
        const uint32_t launched = aclrtlaunch_moe_finalize_routing_v2(
            static_cast<uint32_t>(tiling.usedCores), stream, at(EXPANDED_X), at(EXPANDED_ROW_IDX),
            at(X1), at(X2), at(BIAS), at(SCALES), at(EXPERT_IDX), out.Address(workspace),
            tilingOnDevice);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

aclnnStatus MakePlan(const opapi::Phases& phases, const Arguments& given, int64_t dropPadMode,
                     uint64_t* workspaceSize, aclOpExecutor** executor) {
    Tensors tensors{phases, {}, {}, {}, {}, {}, {}, {}, {}};
    aclnnStatus status = opapi::Capture(
        phases.plan, {{given.expandedX, "expandedX", &tensors.expandedX},
                      {given.expandedRowIdx, "expandedRowIdx", &tensors.expandedRowIdx},
                      {given.x1, "x1Optional", &tensors.x1, /*isOptional=*/true},
                      {given.x2, "x2Optional", &tensors.x2, /*isOptional=*/true},
                      {given.bias, "biasOptional", &tensors.bias, /*isOptional=*/true},
                      {given.scales, "scalesOptional", &tensors.scales, /*isOptional=*/true},
                      {given.expertIdx, "expertIdxOptional", &tensors.expertIdx,
                       /*isOptional=*/true},
                      {given.out, "out", &tensors.out}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(phases.plan, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(tensors);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (tensors.out.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeFinalizeRoutingV2TilingData tiling{};
    status = opapi::CheckDense(phases.plan, {&tensors.out});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(tensors, dropPadMode, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    std::vector<Operand> inputs;
    for (TensorView* input : {&tensors.expandedX, &tensors.expandedRowIdx, &tensors.x1, &tensors.x2,
                              &tensors.bias, &tensors.scales, &tensors.expertIdx}) {
        inputs.emplace_back(std::move(*input), &plan);
    }
    Operand result(std::move(tensors.out), &plan);
    plan.run = Launch{phases.run, tiling, tilingOffset, std::move(inputs), std::move(result)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeFinalizeRoutingV2GetWorkspaceSize(
    const aclTensor* expandedX, const aclTensor* expandedRowIdx, const aclTensor* x1Optional,
    const aclTensor* x2Optional, const aclTensor* biasOptional, const aclTensor* scalesOptional,
    const aclTensor* expertIdxOptional, int64_t dropPadMode, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kAclnn,
                    {expandedX, expandedRowIdx, x1Optional, x2Optional, biasOptional,
                     scalesOptional, expertIdxOptional, out},
                    dropPadMode, workspaceSize, executor);
}

aclnnStatus aclnnMoeFinalizeRoutingV2(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeFinalizeRoutingV2GetWorkspaceSize(
    const aclTensor* expandedX, const aclTensor* expandedRowIdx, const aclTensor* x1Optional,
    const aclTensor* x2Optional, const aclTensor* biasOptional, const aclTensor* scalesOptional,
    const aclTensor* expertIdxOptional, int64_t dropPadMode, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kKernel,
                    {expandedX, expandedRowIdx, x1Optional, x2Optional, biasOptional,
                     scalesOptional, expertIdxOptional, out},
                    dropPadMode, workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeFinalizeRoutingV2(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
