// aclnnMoeTokenPermuteGrad in two phases: null pointers first, then data types and formats, then
// the host tiling's rules on shapes and numTopk. An empty output needs no work, so it is accepted
// before the tiling is asked. paddedMode changes nothing, as on Ascend910B and 910_93.

#include "aclnnop/aclnn_moe_token_permute_grad.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_permute_grad.h"
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

constexpr const char* kPhase1 = "aclnnMoeTokenPermuteGradGetWorkspaceSize";
constexpr const char* kPhase2 = "aclnnMoeTokenPermuteGrad";
constexpr const char* kDocument = "aclnnMoeTokenPermuteGrad document, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Tensors {
    TensorView permutedOutputGrad;
    TensorView sortedIndices;
    TensorView out;
};

aclnnStatus InvalidType(const TensorView& tensor, const std::string& rule) {
    return opapi::Invalid(kPhase1, tensor, "data type", tensor.dtype, rule, kDocument);
}

aclnnStatus CheckTypes(const Tensors& tensors) {
    const aclDataType dtype = tensors.permutedOutputGrad.dtype;
    if (!opapi::IsFloating(dtype)) {
        return InvalidType(tensors.permutedOutputGrad, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (tensors.sortedIndices.dtype != ACL_INT32) {
        return InvalidType(tensors.sortedIndices, "3 (int32)");
    }
    if (tensors.out.dtype != dtype) {
        return InvalidType(tensors.out, "that of permutedOutputGrad, " + std::to_string(dtype));
    }
    return opapi::CheckFormats(
        kPhase1, {&tensors.permutedOutputGrad, &tensors.sortedIndices, &tensors.out}, kDocument);
}

MoeTokenPermuteGradShape ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Tensors& tensors, int64_t numTopk,
                    MoeTokenPermuteGradTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(kPhase1, &machine);
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
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(kPhase1) + ": " + reason);
}

struct Launch {
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
        if (launched != 0) {
            return Fail(ACLNN_ERR_RUNTIME_ERROR, std::string(kPhase2) +
                                                     ": the kernel's launch on " +
                                                     std::to_string(tiling.usedCores) +
                                                     " cores answered " + std::to_string(launched));
        }
        return ACLNN_SUCCESS;
    }
};

}  // namespace

aclnnStatus aclnnMoeTokenPermuteGradGetWorkspaceSize(const aclTensor* permutedOutputGrad,
                                                     const aclTensor* sortedIndices,
                                                     int64_t numTopk, bool /*paddedMode*/,
                                                     const aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
    Tensors tensors;
    aclnnStatus status = opapi::Capture(
        kPhase1, {{permutedOutputGrad, "permutedOutputGrad", &tensors.permutedOutputGrad},
                  {sortedIndices, "sortedIndices", &tensors.sortedIndices},
                  {out, "out", &tensors.out}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(kPhase1, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = CheckTypes(tensors);
    }
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckLayouts(
            kPhase1, {&tensors.permutedOutputGrad, &tensors.sortedIndices, &tensors.out});
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (tensors.out.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    if (!tensors.out.IsContiguous()) {
        return Fail(ACLNN_ERR_PARAM_INVALID,
                    std::string(kPhase1) + ": out is strided; it must be contiguous");
    }
    MoeTokenPermuteGradTilingData tiling{};
    status = CutCall(tensors, numTopk, &tiling);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    opapi::Operand rows(std::move(tensors.permutedOutputGrad), &plan);
    opapi::Operand indices(std::move(tensors.sortedIndices), &plan);
    opapi::Operand result(std::move(tensors.out), &plan);
    plan.run = Launch{tiling, tilingOffset, std::move(rows), std::move(indices), std::move(result)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

aclnnStatus aclnnMoeTokenPermuteGrad(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kPhase2, workspace, workspaceSize, executor, stream);
}
