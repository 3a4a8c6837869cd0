// MoeTokenPermuteGrad in two phases, as aclnn and as kernel entry: null pointers first, then data
// types and formats, then the host tiling's rules on shapes and numTopk. An empty output needs no
// work, so it is accepted before the tiling is asked. paddedMode changes nothing, as on Ascend910B
// and 910_93.

#include "aclnnop/aclnn_moe_token_permute_grad.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_permute_grad.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_permute_grad_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace {

using opapi::Fail;
using opapi::TensorView;

constexpr opapi::Phases kAclnn{"aclnnMoeTokenPermuteGradGetWorkspaceSize",
                               "aclnnMoeTokenPermuteGrad"};
constexpr opapi::Phases kKernel{"kernelMoeTokenPermuteGradGetWorkspaceSize",
                                "kernelMoeTokenPermuteGrad"};
constexpr const char* kDocument = "aclnnMoeTokenPermuteGrad document, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Tensors {
    opapi::Phases phases;
    TensorView permutedOutputGrad;
    TensorView sortedIndices;
    TensorView out;
};

aclnnStatus InvalidType(const Tensors& tensors, const TensorView& tensor, const std::string& rule) {
    return opapi::Invalid(tensors.phases.plan, tensor, "data type", tensor.dtype, rule, kDocument);
}

aclnnStatus CheckTypes(const Tensors& tensors) {
    const aclDataType dtype = tensors.permutedOutputGrad.dtype;
    if (!opapi::IsFloating(dtype)) {
        return InvalidType(tensors, tensors.permutedOutputGrad, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (tensors.sortedIndices.dtype != ACL_INT32) {
        return InvalidType(tensors, tensors.sortedIndices, "3 (int32)");
    }
    if (tensors.out.dtype != dtype) {
        return InvalidType(tensors, tensors.out,
                           "that of permutedOutputGrad, " + std::to_string(dtype));
    }
    return opapi::CheckFormats(tensors.phases.plan,
                               {&tensors.permutedOutputGrad, &tensors.sortedIndices, &tensors.out},
                               kDocument);
}

MoeTokenPermuteGradShape ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Tensors& tensors, int64_t numTopk,
                    MoeTokenPermuteGradTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(tensors.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeTokenPermuteGradCall call{ShapeOf(tensors.permutedOutputGrad),
                                       ShapeOf(tensors.sortedIndices),
                                       ShapeOf(tensors.out),
                                       numTopk,
                                       tensors.permutedOutputGrad.dtype,
                                       machine.vectorCores,
                                       machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenPermuteGradTiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(tensors.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeTokenPermuteGradTilingData tiling;
    uint64_t tilingOffset;
    opapi::Operand permutedOutputGrad;
    opapi::Operand sortedIndices;
    opapi::Operand out;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        aclnnStatus status = permutedOutputGrad.CopyIn(workspace, stream);
        if (status == ACLNN_SUCCESS) {
            status = sortedIndices.CopyIn(workspace, stream);
        }
        if (status == ACLNN_SUCCESS) {
            status = opapi::UploadTiling(&tiling, sizeof(tiling), tilingOnDevice, stream);
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        permutedOutputGrad.Describe(workspace, /*writable=*/false);
        sortedIndices.Describe(workspace, /*writable=*/false);
        out.Describe(workspace, /*writable=*/true);
        opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_token_permute_grad(
            static_cast<uint32_t>(tiling.usedCores), stream, permutedOutputGrad.Address(workspace),
            sortedIndices.Address(workspace), out.Address(workspace), workspace, tilingOnDevice);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* permutedOutputGrad,
                     const aclTensor* sortedIndices, int64_t numTopk, const aclTensor* out,
                     uint64_t* workspaceSize, aclOpExecutor** executor) {
    Tensors tensors{phases, {}, {}, {}};
    aclnnStatus status = opapi::Capture(
        phases.plan, {{permutedOutputGrad, "permutedOutputGrad", &tensors.permutedOutputGrad},
                      {sortedIndices, "sortedIndices", &tensors.sortedIndices},
                      {out, "out", &tensors.out}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(phases.plan, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = CheckTypes(tensors);
    }
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckLayouts(
            phases.plan, {&tensors.permutedOutputGrad, &tensors.sortedIndices, &tensors.out});
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (tensors.out.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeTokenPermuteGradTilingData tiling{};
    status = opapi::CheckDense(phases.plan, {&tensors.out});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(tensors, numTopk, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    opapi::Operand rows(std::move(tensors.permutedOutputGrad), &plan);
    opapi::Operand indices(std::move(tensors.sortedIndices), &plan);
    opapi::Operand result(std::move(tensors.out), &plan);
    plan.run = Launch{phases.run,         tiling,           tilingOffset, std::move(rows),
                      std::move(indices), std::move(result)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenPermuteGradGetWorkspaceSize(const aclTensor* permutedOutputGrad,
                                                     const aclTensor* sortedIndices,
                                                     int64_t numTopk, bool /*paddedMode*/,
                                                     const aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
    return MakePlan(kAclnn, permutedOutputGrad, sortedIndices, numTopk, out, workspaceSize,
                    executor);
}

aclnnStatus aclnnMoeTokenPermuteGrad(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteGradGetWorkspaceSize(
    const aclTensor* permutedOutputGrad, const aclTensor* sortedIndices, int64_t numTopk,
    bool /*paddedMode*/, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kKernel, permutedOutputGrad, sortedIndices, numTopk, out, workspaceSize,
                    executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteGrad(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
