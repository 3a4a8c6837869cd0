// MoeTokenUnpermute in two phases, as aclnn and as kernel entry: null pointers first, then data
// types and formats, then the host tiling's rules on shapes. An empty output needs no work, so it
// is accepted before the tiling is asked. paddedMode and restoreShapeOptional change nothing, as on
// Ascend910B and 910_93.

#include "aclnnop/aclnn_moe_token_unpermute.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_unpermute.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_unpermute_tiling.h"
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

constexpr opapi::Phases kAclnn{"aclnnMoeTokenUnpermuteGetWorkspaceSize", "aclnnMoeTokenUnpermute"};
constexpr opapi::Phases kKernel{"kernelMoeTokenUnpermuteGetWorkspaceSize",
                                "kernelMoeTokenUnpermute"};
constexpr const char* kDocument = "MoeTokenUnpermute README, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Tensors {
    opapi::Phases phases;
    TensorView permutedTokens;
    TensorView sortedIndices;
    TensorView probs;
    TensorView out;
};

aclnnStatus CheckTypes(const Tensors& tensors) {
    const auto invalid = [&](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(tensors.phases.plan, tensor, "data type", tensor.dtype, rule,
                              kDocument);
    };
    const std::string floating = "0 (fp32), 1 (fp16) or 27 (bf16)";
    const aclDataType dtype = tensors.permutedTokens.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(tensors.permutedTokens, floating);
    }
    if (tensors.sortedIndices.dtype != ACL_INT32) {
        return invalid(tensors.sortedIndices, "3 (int32)");
    }
    if (tensors.probs.isPresent && !opapi::IsFloating(tensors.probs.dtype)) {
        return invalid(tensors.probs, floating);
    }
    if (tensors.out.dtype != dtype) {
        return invalid(tensors.out, "that of permutedTokens, " + std::to_string(dtype));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const Tensors& tensors) {
    const auto all = {&tensors.permutedTokens, &tensors.sortedIndices, &tensors.probs,
                      &tensors.out};
    aclnnStatus status = CheckTypes(tensors);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(tensors.phases.plan, all, kDocument);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(tensors.phases.plan, all);
}

MoeTokenUnpermuteShape ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Tensors& tensors, MoeTokenUnpermuteTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(tensors.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    static_assert(ACL_DT_UNDEFINED == -1, "what the tiling takes for probs that are not there");
    const MoeTokenUnpermuteCall call{ShapeOf(tensors.permutedTokens),
                                     ShapeOf(tensors.sortedIndices),
                                     ShapeOf(tensors.probs),
                                     ShapeOf(tensors.out),
                                     tensors.permutedTokens.dtype,
                                     tensors.probs.dtype,
                                     machine.vectorCores,
                                     machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenUnpermuteTiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(tensors.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeTokenUnpermuteTilingData tiling;
    uint64_t tilingOffset;
    Operand permutedTokens;
    Operand sortedIndices;
    Operand probs;
    Operand out;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        aclnnStatus status = ACLNN_SUCCESS;
        for (const Operand* input : {&permutedTokens, &sortedIndices, &probs}) {
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
        for (const Operand* input : {&permutedTokens, &sortedIndices, &probs}) {
            input->Describe(workspace, /*writable=*/false);
        }
        out.Describe(workspace, /*writable=*/true);
        opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_token_unpermute(
            static_cast<uint32_t>(tiling.usedCores), stream, permutedTokens.Address(workspace),
            sortedIndices.Address(workspace), probs.Address(workspace), out.Address(workspace),
            tilingOnDevice);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* permutedTokens,
                     const aclTensor* sortedIndices, const aclTensor* probsOptional,
                     const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
    Tensors tensors{phases, {}, {}, {}, {}};
    aclnnStatus status = opapi::Capture(
        phases.plan, {{permutedTokens, "permutedTokens", &tensors.permutedTokens},
                      {sortedIndices, "sortedIndices", &tensors.sortedIndices},
                      {probsOptional, "probsOptional", &tensors.probs, /*isOptional=*/true},
                      {out, "out", &tensors.out}});
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
    if (!tensors.out.IsContiguous()) {
        return Fail(ACLNN_ERR_PARAM_INVALID,
                    std::string(phases.plan) + ": out is strided; it must be contiguous");
    }
    MoeTokenUnpermuteTilingData tiling{};
    status = CutCall(tensors, &tiling);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    Operand rows(std::move(tensors.permutedTokens), &plan);
    Operand indices(std::move(tensors.sortedIndices), &plan);
    Operand weights(std::move(tensors.probs), &plan);
    Operand result(std::move(tensors.out), &plan);
    plan.run = Launch{
        phases.run,         tiling,           tilingOffset, std::move(rows), std::move(indices),
        std::move(weights), std::move(result)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenUnpermuteGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* sortedIndices, const aclTensor* probsOptional,
    bool /*paddedMode*/, const aclIntArray* /*restoreShapeOptional*/, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kAclnn, permutedTokens, sortedIndices, probsOptional, out, workspaceSize,
                    executor);
}

aclnnStatus aclnnMoeTokenUnpermute(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenUnpermuteGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* sortedIndices, const aclTensor* probsOptional,
    bool /*paddedMode*/, const int64_t* /*restoreShape*/, uint64_t /*restoreShapeLength*/,
    const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kKernel, permutedTokens, sortedIndices, probsOptional, out, workspaceSize,
                    executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenUnpermute(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
