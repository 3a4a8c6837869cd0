// MoeTokenPermuteWithEpGrad in two phases, as aclnn and as kernel entry: null pointers first, then
// data types and formats, then the host tiling's rules on attributes and shapes. Empty outputs need
// no work, so they are accepted before the tiling is asked. A range that is absent has no rank, as
// CANN's own default, which ends where it starts.

#include "aclnnop/aclnn_moe_token_permute_with_ep_grad.h"

#include <functional>
#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_permute_with_ep_grad.h"
#include "int_array.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_permute_with_ep_grad_tiling.h"
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

constexpr opapi::Phases kAclnn{"aclnnMoeTokenPermuteWithEpGradGetWorkspaceSize",
                               "aclnnMoeTokenPermuteWithEpGrad"};
constexpr opapi::Phases kKernel{"kernelMoeTokenPermuteWithEpGradGetWorkspaceSize",
                                "kernelMoeTokenPermuteWithEpGrad"};
constexpr const char* kDocument = "MoeTokenPermuteWithEpGrad README, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Arguments {
    opapi::Phases phases;
    int64_t numTopk;
    bool paddedMode;
    TensorView permutedTokensOutputGrad;
    TensorView sortedIndices;
    TensorView permutedProbsOutputGrad;
    opapi::IntArray range;
    TensorView tokenGrad;
    TensorView probsGrad;
};

aclnnStatus CheckTypes(const char* function, const Arguments& call) {
    const auto invalid = [function](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(function, tensor, "data type", tensor.dtype, rule, kDocument);
    };
    const aclDataType dtype = call.permutedTokensOutputGrad.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(call.permutedTokensOutputGrad, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (call.sortedIndices.dtype != ACL_INT32) {
        return invalid(call.sortedIndices, "3 (int32)");
    }
    for (const TensorView* tensor :
         {&call.permutedProbsOutputGrad, &call.tokenGrad, &call.probsGrad}) {
        if (tensor->isPresent && tensor->dtype != dtype) {
            return invalid(*tensor, "that of permutedTokensOutputGrad, " + std::to_string(dtype));
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const char* function, const Arguments& call) {
    const auto tensors = {&call.permutedTokensOutputGrad, &call.sortedIndices,
                          &call.permutedProbsOutputGrad, &call.tokenGrad, &call.probsGrad};
    aclnnStatus status = CheckTypes(function, call);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(function, tensors, kDocument);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(function, tensors);
}

// Without gradients of permuted probabilities nothing goes to probsGradOut.
bool HasNoOutput(const Arguments& call) {
    return call.tokenGrad.IsEmpty() &&
           (!call.permutedProbsOutputGrad.isPresent || call.probsGrad.IsEmpty());
}

MoeTokenPermuteWithEpGradList ListOf(const std::vector<int64_t>& values) {
    return {values.data(), values.size()};
}

aclnnStatus CutCall(const Arguments& call, MoeTokenPermuteWithEpGradTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(call.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeTokenPermuteWithEpGradCall view{ListOf(call.permutedTokensOutputGrad.shape),
                                             ListOf(call.sortedIndices.shape),
                                             ListOf(call.permutedProbsOutputGrad.shape),
                                             ListOf(call.range.values),
                                             ListOf(call.tokenGrad.shape),
                                             ListOf(call.probsGrad.shape),
                                             call.permutedProbsOutputGrad.isPresent,
                                             call.range.isPresent,
                                             call.numTopk,
                                             call.paddedMode,
                                             call.permutedTokensOutputGrad.dtype,
                                             machine.vectorCores,
                                             machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenPermuteWithEpGradTiling(&view, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(call.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeTokenPermuteWithEpGradTilingData tiling;
    uint64_t tilingOffset;
    Operand permutedTokensOutputGrad;
    Operand sortedIndices;
    Operand permutedProbsOutputGrad;
    Operand tokenGrad;
    Operand probsGrad;

    aclnnStatus Prepare(uint8_t* workspace, aclrtStream stream) const {
        aclnnStatus status = ACLNN_SUCCESS;
        for (const Operand* input :
             {&permutedTokensOutputGrad, &sortedIndices, &permutedProbsOutputGrad}) {
            if (status == ACLNN_SUCCESS) {
                status = input->CopyIn(workspace, stream);
            }
        }
        return status == ACLNN_SUCCESS
                   ? opapi::UploadTiling(&tiling, sizeof(tiling), workspace + tilingOffset, stream)
                   : status;
    }

    void Describe(uint8_t* workspace) const {
        for (const Operand* input :
             {&permutedTokensOutputGrad, &sortedIndices, &permutedProbsOutputGrad}) {
            input->Describe(workspace, /*writable=*/false);
        }
        for (const Operand* output : {&tokenGrad, &probsGrad}) {
            output->Describe(workspace, /*writable=*/true);
        }
        opapi::DescribeRegion(workspace + tilingOffset, sizeof(tiling), "tiling",
                              /*writable=*/false);
    }

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        const aclnnStatus status = Prepare(workspace, stream);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        Describe(workspace);
        const uint32_t launched = aclrtlaunch_moe_token_permute_with_ep_grad(
            static_cast<uint32_t>(tiling.usedCores), stream,
            permutedTokensOutputGrad.Address(workspace), sortedIndices.Address(workspace),
            permutedProbsOutputGrad.Address(workspace), tokenGrad.Address(workspace),
            probsGrad.Address(workspace), workspace + tilingOffset);
        return opapi::Launched(function, tiling.usedCores, launched);
    }
};

using CaptureRange = std::function<aclnnStatus(opapi::IntArray*)>;

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* permutedTokensOutputGrad,
                     const aclTensor* sortedIndices,
                     const aclTensor* permutedProbsOutputGradOptional, int64_t numTopk,
                     const CaptureRange& captureRange, bool paddedMode,
                     const aclTensor* tokenGradOut, const aclTensor* probsGradOut,
                     uint64_t* workspaceSize, aclOpExecutor** executor) {
    Arguments call{phases, numTopk, paddedMode, {}, {}, {}, {}, {}, {}};
    const bool mayLackProbsOut = permutedProbsOutputGradOptional == nullptr;
    aclnnStatus status = opapi::Capture(
        phases.plan,
        {{permutedTokensOutputGrad, "permutedTokensOutputGrad", &call.permutedTokensOutputGrad},
         {sortedIndices, "sortedIndices", &call.sortedIndices},
         {permutedProbsOutputGradOptional, "permutedProbsOutputGradOptional",
          &call.permutedProbsOutputGrad, /*isOptional=*/true},
         {tokenGradOut, "tokenGradOut", &call.tokenGrad},
         {probsGradOut, "probsGradOut", &call.probsGrad, mayLackProbsOut}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(phases.plan, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = captureRange(&call.range);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(phases.plan, call);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (HasNoOutput(call)) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeTokenPermuteWithEpGradTilingData tiling{};
    status = opapi::CheckDense(phases.plan, {&call.tokenGrad, &call.probsGrad});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(call, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    Operand rows(std::move(call.permutedTokensOutputGrad), &plan);
    Operand indices(std::move(call.sortedIndices), &plan);
    Operand probs(std::move(call.permutedProbsOutputGrad), &plan);
    Operand tokenGrad(std::move(call.tokenGrad), &plan);
    Operand probsGrad(std::move(call.probsGrad), &plan);
    plan.run =
        Launch{phases.run,         tiling,           tilingOffset,         std::move(rows),
               std::move(indices), std::move(probs), std::move(tokenGrad), std::move(probsGrad)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenPermuteWithEpGradGetWorkspaceSize(
    const aclTensor* permutedTokensOutputGrad, const aclTensor* sortedIndices,
    const aclTensor* permutedProbsOutputGradOptional, int64_t numTopk,
    const aclIntArray* rangeOptional, bool paddedMode, const aclTensor* tokenGradOut,
    const aclTensor* probsGradOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    const auto capture = [rangeOptional](opapi::IntArray* range) {
        return opapi::CaptureIntArray(kAclnn.plan, rangeOptional, "rangeOptional", range);
    };
    return MakePlan(kAclnn, permutedTokensOutputGrad, sortedIndices,
                    permutedProbsOutputGradOptional, numTopk, capture, paddedMode, tokenGradOut,
                    probsGradOut, workspaceSize, executor);
}

aclnnStatus aclnnMoeTokenPermuteWithEpGrad(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithEpGradGetWorkspaceSize(
    const aclTensor* permutedTokensOutputGrad, const aclTensor* sortedIndices,
    const aclTensor* permutedProbsOutputGradOptional, int64_t numTopk, const int64_t* range,
    uint64_t rangeLength, bool paddedMode, const aclTensor* tokenGradOut,
    const aclTensor* probsGradOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    const auto capture = [range, rangeLength](opapi::IntArray* captured) {
        captured->isPresent = range != nullptr;
        captured->values.assign(range, range + (range == nullptr ? 0 : rangeLength));
        return ACLNN_SUCCESS;
    };
    return MakePlan(kKernel, permutedTokensOutputGrad, sortedIndices,
                    permutedProbsOutputGradOptional, numTopk, capture, paddedMode, tokenGradOut,
                    probsGradOut, workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithEpGrad(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
