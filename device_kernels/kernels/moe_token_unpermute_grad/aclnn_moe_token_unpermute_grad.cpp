// MoeTokenUnpermuteGrad in two phases, as aclnn and as kernel entry: null pointers first, then data
// types and formats, then the host tiling's rules on shapes. Empty outputs need no work, so they
// are accepted before the tiling is asked. paddedMode and restoreShapeOptional change nothing, as
// in the forward operator on Ascend910B and 910_93. Without probs their gradient is not written.

#include "aclnnop/aclnn_moe_token_unpermute_grad.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_unpermute_grad.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_unpermute_grad_tiling.h"
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

constexpr opapi::Phases kAclnn{"aclnnMoeTokenUnpermuteGradGetWorkspaceSize",
                               "aclnnMoeTokenUnpermuteGrad"};
constexpr opapi::Phases kKernel{"kernelMoeTokenUnpermuteGradGetWorkspaceSize",
                                "kernelMoeTokenUnpermuteGrad"};
constexpr const char* kDocument = "MoeTokenUnpermuteGrad README, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Tensors {
    opapi::Phases phases;
    TensorView permutedTokens;
    TensorView unpermutedTokensGrad;
    TensorView sortedIndices;
    TensorView probs;
    TensorView permutedTokensGrad;
    TensorView probsGrad;
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
    const std::string same = "that of permutedTokens, " + std::to_string(dtype);
    if (tensors.unpermutedTokensGrad.dtype != dtype) {
        return invalid(tensors.unpermutedTokensGrad, same);
    }
    if (tensors.sortedIndices.dtype != ACL_INT32) {
        return invalid(tensors.sortedIndices, "3 (int32)");
    }
    if (tensors.probs.isPresent && !opapi::IsFloating(tensors.probs.dtype)) {
        return invalid(tensors.probs, floating);
    }
    if (tensors.permutedTokensGrad.dtype != dtype) {
        return invalid(tensors.permutedTokensGrad, same);
    }
    if (tensors.probs.isPresent && tensors.probsGrad.dtype != tensors.probs.dtype) {
        return invalid(tensors.probsGrad,
                       "that of probsOptional, " + std::to_string(tensors.probs.dtype));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const Tensors& tensors) {
    const auto all = {&tensors.permutedTokens,     &tensors.unpermutedTokensGrad,
                      &tensors.sortedIndices,      &tensors.probs,
                      &tensors.permutedTokensGrad, &tensors.probsGrad};
    aclnnStatus status = CheckTypes(tensors);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(tensors.phases.plan, all, kDocument);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(tensors.phases.plan, all);
}

SlotCopyList ListOf(const TensorView& tensor) { return {tensor.shape.data(), tensor.shape.size()}; }

aclnnStatus CutCall(const Tensors& tensors, MoeTokenUnpermuteGradTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(tensors.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    static_assert(ACL_DT_UNDEFINED == -1, "what the tiling takes for probs that are not there");
    const MoeTokenUnpermuteGradCall call{ListOf(tensors.permutedTokens),
                                         ListOf(tensors.unpermutedTokensGrad),
                                         ListOf(tensors.sortedIndices),
                                         ListOf(tensors.probs),
                                         ListOf(tensors.permutedTokensGrad),
                                         ListOf(tensors.probsGrad),
                                         tensors.permutedTokens.dtype,
                                         tensors.probs.dtype,
                                         machine.vectorCores,
                                         machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenUnpermuteGradTiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(tensors.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeTokenUnpermuteGradTilingData tiling;
    uint64_t tilingOffset;
    Operand permutedTokens;
    Operand unpermutedTokensGrad;
    Operand sortedIndices;
    Operand probs;
    Operand permutedTokensGrad;
    Operand probsGrad;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        const auto inputs = {&permutedTokens, &unpermutedTokensGrad, &sortedIndices, &probs};
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
        permutedTokensGrad.Describe(workspace, /*writable=*/true);
        probsGrad.Describe(workspace, /*writable=*/true);
        opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_token_unpermute_grad(
            static_cast<uint32_t>(tiling.usedCores), stream, permutedTokens.Address(workspace),
            unpermutedTokensGrad.Address(workspace), sortedIndices.Address(workspace),
            probs.Address(workspace), permutedTokensGrad.Address(workspace),
            probsGrad.Address(workspace), tilingOnDevice);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

bool HasNoOutput(const Tensors& tensors) {
    return tensors.permutedTokensGrad.IsEmpty() &&
           (!tensors.probsGrad.isPresent || tensors.probsGrad.IsEmpty());
}

aclnnStatus MakePlan(Tensors tensors, uint64_t* workspaceSize, aclOpExecutor** executor) {
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
    MoeTokenUnpermuteGradTilingData tiling{};
    status = opapi::CheckDense(function, {&tensors.permutedTokensGrad, &tensors.probsGrad});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(tensors, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    Operand rows(std::move(tensors.permutedTokens), &plan);
    Operand grads(std::move(tensors.unpermutedTokensGrad), &plan);
    Operand indices(std::move(tensors.sortedIndices), &plan);
    Operand weights(std::move(tensors.probs), &plan);
    Operand rowGrads(std::move(tensors.permutedTokensGrad), &plan);
    Operand weightGrads(std::move(tensors.probsGrad), &plan);
    plan.run = Launch{tensors.phases.run,    tiling,
                      tilingOffset,          std::move(rows),
                      std::move(grads),      std::move(indices),
                      std::move(weights),    std::move(rowGrads),
                      std::move(weightGrads)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* permutedTokens,
                     const aclTensor* unpermutedTokensGrad, const aclTensor* sortedIndices,
                     const aclTensor* probsOptional, const aclTensor* permutedTokensGradOut,
                     const aclTensor* probsGradOut, uint64_t* workspaceSize,
                     aclOpExecutor** executor) {
    Tensors tensors{phases, {}, {}, {}, {}, {}, {}};
    const bool mayLackProbsGrad = probsOptional == nullptr;
    const aclnnStatus status = opapi::Capture(
        phases.plan, {{permutedTokens, "permutedTokens", &tensors.permutedTokens},
                      {unpermutedTokensGrad, "unpermutedTokensGrad", &tensors.unpermutedTokensGrad},
                      {sortedIndices, "sortedIndices", &tensors.sortedIndices},
                      {probsOptional, "probsOptional", &tensors.probs, /*isOptional=*/true},
                      {permutedTokensGradOut, "permutedTokensGradOut", &tensors.permutedTokensGrad},
                      {probsGradOut, "probsGradOut", &tensors.probsGrad, mayLackProbsGrad}});
    return status != ACLNN_SUCCESS ? status : MakePlan(std::move(tensors), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenUnpermuteGradGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
    const aclTensor* sortedIndices, const aclTensor* probsOptional, bool /*paddedMode*/,
    const aclIntArray* /*restoreShapeOptional*/, const aclTensor* permutedTokensGradOut,
    const aclTensor* probsGradOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan(kAclnn, permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional,
                    permutedTokensGradOut, probsGradOut, workspaceSize, executor);
}

aclnnStatus aclnnMoeTokenUnpermuteGrad(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenUnpermuteGradGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
    const aclTensor* sortedIndices, const aclTensor* probsOptional, bool /*paddedMode*/,
    const int64_t* /*restoreShape*/, uint64_t /*restoreShapeLength*/,
    const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return MakePlan(kKernel, permutedTokens, unpermutedTokensGrad, sortedIndices, probsOptional,
                    permutedTokensGradOut, probsGradOut, workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenUnpermuteGrad(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
