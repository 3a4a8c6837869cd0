// MoeTokenPermuteWithEp in two phases, with CANN's checks in CANN's order: null pointers, then data
// types and formats, then the host tiling's rules on attributes and shapes. Empty outputs need no
// work, so they are accepted before the tiling is asked. The kernel entry differs from aclnn's in
// paddedMode and in numOutTokens without a range, which it takes as the document has them.

#include "aclnnop/aclnn_moe_token_permute_with_ep.h"

#include <functional>
#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_permute_with_ep.h"
#include "int_array.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_permute_with_ep_tiling.h"
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

constexpr opapi::Phases kAclnn{"aclnnMoeTokenPermuteWithEpGetWorkspaceSize",
                               "aclnnMoeTokenPermuteWithEp"};
constexpr opapi::Phases kKernel{"kernelMoeTokenPermuteWithEpGetWorkspaceSize",
                                "kernelMoeTokenPermuteWithEp"};
constexpr const char* kDefinition = "operator definition of MoeTokenPermuteWithEp";
constexpr uint64_t kReasonBytes = 512;

struct Attributes {
    opapi::Phases phases;
    bool asDocument;  // not as CANN
    int64_t numOutTokens;
    bool paddedMode;
};

struct Arguments {
    Attributes attributes;
    TensorView tokens;
    TensorView indices;
    TensorView probs;
    opapi::IntArray range;
    TensorView permuteTokens;
    TensorView sortedIndices;
    TensorView permuteProbs;
};

aclnnStatus CheckTypes(const char* function, const Arguments& call) {
    const auto invalid = [function](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(function, tensor, "data type", tensor.dtype, rule, kDefinition);
    };
    const aclDataType dtype = call.tokens.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(call.tokens, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (call.indices.dtype != ACL_INT32 && call.indices.dtype != ACL_INT64) {
        return invalid(call.indices, "3 (int32) or 9 (int64)");
    }
    for (const TensorView* tensor : {&call.probs, &call.permuteTokens, &call.permuteProbs}) {
        if (tensor->isPresent && tensor->dtype != dtype) {
            return invalid(*tensor, "that of tokens, " + std::to_string(dtype));
        }
    }
    if (call.sortedIndices.dtype != ACL_INT32) {
        return invalid(call.sortedIndices, "3 (int32)");
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const char* function, const Arguments& call) {
    const auto tensors = {&call.tokens,        &call.indices,       &call.probs,
                          &call.permuteTokens, &call.sortedIndices, &call.permuteProbs};
    aclnnStatus status = CheckTypes(function, call);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(function, tensors, kDefinition);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(function, tensors);
}

bool HasNoOutput(const Arguments& call) {
    return call.permuteTokens.IsEmpty() && call.sortedIndices.IsEmpty() &&
           (!call.permuteProbs.isPresent || call.permuteProbs.IsEmpty());
}

SlotCopyList ListOf(const std::vector<int64_t>& values) { return {values.data(), values.size()}; }

aclnnStatus CutCall(const Arguments& call, MoeTokenPermuteWithEpTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(call.attributes.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeTokenPermuteWithEpCall view{ListOf(call.tokens.shape),
                                         ListOf(call.indices.shape),
                                         ListOf(call.probs.shape),
                                         ListOf(call.range.values),
                                         ListOf(call.permuteTokens.shape),
                                         ListOf(call.sortedIndices.shape),
                                         ListOf(call.permuteProbs.shape),
                                         call.probs.isPresent,
                                         call.range.isPresent,
                                         call.attributes.numOutTokens,
                                         call.attributes.paddedMode,
                                         call.attributes.asDocument,
                                         call.tokens.dtype,
                                         call.indices.dtype,
                                         machine.vectorCores,
                                         machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenPermuteWithEpTiling(&view, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS
               ? cut
               : Fail(cut, std::string(call.attributes.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeTokenPermuteWithEpTilingData tiling;
    uint64_t tilingOffset;
    uint64_t sortOffset;
    Operand tokens;
    Operand indices;
    Operand probs;
    TensorView permuteTokens;
    TensorView sortedIndices;
    TensorView permuteProbs;

    aclnnStatus Prepare(uint8_t* workspace, aclrtStream stream) const {
        aclnnStatus status = ACLNN_SUCCESS;
        for (const Operand* input : {&tokens, &indices, &probs}) {
            if (status == ACLNN_SUCCESS) {
                status = input->CopyIn(workspace, stream);
            }
        }
        return status == ACLNN_SUCCESS
                   ? opapi::UploadTiling(&tiling, sizeof(tiling), workspace + tilingOffset, stream)
                   : status;
    }

    void Describe(uint8_t* workspace) const {
        for (const Operand* input : {&tokens, &indices, &probs}) {
            input->Describe(workspace, /*writable=*/false);
        }
        for (const TensorView* output : {&permuteTokens, &sortedIndices, &permuteProbs}) {
            if (output->isPresent) {
                opapi::DescribeRegion(output->data, output->Bytes(), output->name,
                                      /*writable=*/true);
            }
        }
        opapi::DescribeWorkspace(workspace + sortOffset,
                                 static_cast<uint64_t>(tiling.slots.workspaceBytes), "workspace");
        opapi::DescribeRegion(workspace + tilingOffset, sizeof(tiling), "tiling",
                              /*writable=*/false);
    }

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        const aclnnStatus status = Prepare(workspace, stream);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        Describe(workspace);
        const uint32_t launched = aclrtlaunch_moe_token_permute_with_ep(
            static_cast<uint32_t>(tiling.slots.usedCores), stream, tokens.Address(workspace),
            indices.Address(workspace), probs.Address(workspace), permuteTokens.data,
            sortedIndices.data, permuteProbs.data, workspace + sortOffset,
            workspace + tilingOffset);
        return opapi::Launched(function, tiling.slots.usedCores, launched);
    }
};

using CaptureRange = std::function<aclnnStatus(opapi::IntArray*)>;

aclnnStatus MakePlan(const Attributes& attributes, const aclTensor* tokens,
                     const aclTensor* indices, const aclTensor* probsOptional,
                     const CaptureRange& captureRange, const aclTensor* permuteTokensOut,
                     const aclTensor* sortedIndicesOut, const aclTensor* permuteProbsOut,
                     uint64_t* workspaceSize, aclOpExecutor** executor) {
    const char* function = attributes.phases.plan;
    Arguments call{attributes, {}, {}, {}, {}, {}, {}, {}};
    // Without probabilities there is nothing to put there.
    const bool mayLackProbsOut = probsOptional == nullptr;
    aclnnStatus status = opapi::Capture(
        function, {{tokens, "tokens", &call.tokens},
                   {indices, "indices", &call.indices},
                   {probsOptional, "probsOptional", &call.probs, /*isOptional=*/true},
                   {permuteTokensOut, "permuteTokensOut", &call.permuteTokens},
                   {sortedIndicesOut, "sortedIndicesOut", &call.sortedIndices},
                   {permuteProbsOut, "permuteProbsOut", &call.permuteProbs, mayLackProbsOut}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(function, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = captureRange(&call.range);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(function, call);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (HasNoOutput(call)) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeTokenPermuteWithEpTilingData tiling{};
    status =
        opapi::CheckDense(function, {&call.permuteTokens, &call.sortedIndices, &call.permuteProbs});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(call, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    if (tiling.slots.usedCores == 0) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    const uint64_t sortOffset = plan.Reserve(static_cast<uint64_t>(tiling.slots.workspaceBytes));
    Operand rows(std::move(call.tokens), &plan);
    Operand experts(std::move(call.indices), &plan);
    Operand weights(std::move(call.probs), &plan);
    plan.run = Launch{attributes.phases.run,
                      tiling,
                      tilingOffset,
                      sortOffset,
                      std::move(rows),
                      std::move(experts),
                      std::move(weights),
                      std::move(call.permuteTokens),
                      std::move(call.sortedIndices),
                      std::move(call.permuteProbs)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenPermuteWithEpGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* indices, const aclTensor* probsOptional,
    const aclIntArray* rangeOptional, int64_t numOutTokens, bool paddedMode,
    const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut,
    const aclTensor* permuteProbsOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    const auto capture = [rangeOptional](opapi::IntArray* range) {
        return opapi::CaptureIntArray(kAclnn.plan, rangeOptional, "rangeOptional", range);
    };
    return MakePlan({kAclnn, /*asDocument=*/false, numOutTokens, paddedMode}, tokens, indices,
                    probsOptional, capture, permuteTokensOut, sortedIndicesOut, permuteProbsOut,
                    workspaceSize, executor);
}

aclnnStatus aclnnMoeTokenPermuteWithEp(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithEpGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* indices, const aclTensor* probsOptional,
    const int64_t* range, uint64_t rangeLength, int64_t numOutTokens, bool paddedMode,
    const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut,
    const aclTensor* permuteProbsOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    const auto capture = [range, rangeLength](opapi::IntArray* captured) {
        captured->isPresent = range != nullptr;
        captured->values.assign(range, range + (range == nullptr ? 0 : rangeLength));
        return ACLNN_SUCCESS;
    };
    return MakePlan({kKernel, /*asDocument=*/true, numOutTokens, paddedMode}, tokens, indices,
                    probsOptional, capture, permuteTokensOut, sortedIndicesOut, permuteProbsOut,
                    workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithEp(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
