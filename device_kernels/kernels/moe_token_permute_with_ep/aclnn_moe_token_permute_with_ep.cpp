// aclnnMoeTokenPermuteWithEp in two phases, with CANN's checks in CANN's order: null pointers, then
// data types and formats, then the host tiling's rules on attributes and shapes. Empty outputs need
// no work, so they are accepted before the tiling is asked.

#include "aclnnop/aclnn_moe_token_permute_with_ep.h"

#include <string>
#include <utility>

#include "acl/acl.h"
#include "aclrtlaunch_moe_token_permute_with_ep.h"
#include "int_array.h"
#include "machine.h"
#include "moe_token_permute_with_ep_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"

namespace {

using opapi::Fail;
using opapi::Operand;
using opapi::TensorView;

constexpr const char* kPhase1 = "aclnnMoeTokenPermuteWithEpGetWorkspaceSize";
constexpr const char* kPhase2 = "aclnnMoeTokenPermuteWithEp";
constexpr uint64_t kReasonBytes = 512;

struct Arguments {
    TensorView tokens;
    TensorView indices;
    TensorView probs;
    opapi::IntArray range;
    int64_t numOutTokens;
    bool paddedMode;
    TensorView permuteTokens;
    TensorView sortedIndices;
    TensorView permuteProbs;
};

template <typename Body>
aclnnStatus ForEachPresent(const Arguments& call, Body body) {
    for (const TensorView* tensor : {&call.tokens, &call.indices, &call.probs, &call.permuteTokens,
                                     &call.sortedIndices, &call.permuteProbs}) {
        const aclnnStatus status = tensor->isPresent ? body(*tensor) : ACLNN_SUCCESS;
        if (status != ACLNN_SUCCESS) {
            return status;
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Invalid(const TensorView& tensor, const std::string& what, int64_t value,
                    const std::string& rule) {
    return Fail(ACLNN_ERR_PARAM_INVALID, std::string(kPhase1) + ": the " + what + " of " +
                                             tensor.name + " is " + std::to_string(value) +
                                             "; it must be " + rule +
                                             " (operator definition of MoeTokenPermuteWithEp)");
}

aclnnStatus CheckTypes(const Arguments& call) {
    const aclDataType dtype = call.tokens.dtype;
    if (dtype != ACL_FLOAT && dtype != ACL_FLOAT16 && dtype != ACL_BF16) {
        return Invalid(call.tokens, "data type", dtype, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (call.indices.dtype != ACL_INT32 && call.indices.dtype != ACL_INT64) {
        return Invalid(call.indices, "data type", call.indices.dtype, "3 (int32) or 9 (int64)");
    }
    for (const TensorView* tensor : {&call.probs, &call.permuteTokens, &call.permuteProbs}) {
        if (tensor->isPresent && tensor->dtype != dtype) {
            return Invalid(*tensor, "data type", tensor->dtype,
                           "that of tokens, " + std::to_string(dtype));
        }
    }
    if (call.sortedIndices.dtype != ACL_INT32) {
        return Invalid(call.sortedIndices, "data type", call.sortedIndices.dtype, "3 (int32)");
    }
    return ForEachPresent(call, [](const TensorView& tensor) {
        return tensor.HasLinearFormat()
                   ? ACLNN_SUCCESS
                   : Invalid(tensor, "format", tensor.format, "2 (ND) or as linear as that");
    });
}

aclnnStatus CheckOutputsAreDense(const Arguments& call) {
    for (const TensorView* tensor :
         {&call.permuteTokens, &call.sortedIndices, &call.permuteProbs}) {
        if (tensor->isPresent && !tensor->IsContiguous()) {
            return Fail(ACLNN_ERR_PARAM_INVALID, std::string(kPhase1) + ": " + tensor->name +
                                                     " is strided; it must be contiguous");
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const Arguments& call) {
    aclnnStatus status = CheckTypes(call);
    if (status == ACLNN_SUCCESS) {
        status = ForEachPresent(
            call, [](const TensorView& tensor) { return opapi::CheckLayout(kPhase1, tensor); });
    }
    return status;
}

bool HasNoOutput(const Arguments& call) {
    return call.permuteTokens.IsEmpty() && call.sortedIndices.IsEmpty() &&
           (!call.permuteProbs.isPresent || call.permuteProbs.IsEmpty());
}

MoeTokenPermuteWithEpList ListOf(const std::vector<int64_t>& values) {
    return {values.data(), values.size()};
}

aclnnStatus CutCall(const Arguments& call, MoeTokenPermuteWithEpTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(kPhase1, &machine);
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
                                         call.numOutTokens,
                                         call.paddedMode,
                                         call.tokens.dtype,
                                         call.indices.dtype,
                                         machine.vectorCores,
                                         machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenPermuteWithEpTiling(&view, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut : Fail(cut, std::string(kPhase1) + ": " + reason);
}

struct Launch {
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
                                 static_cast<uint64_t>(tiling.workspaceBytes), "workspace");
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
            static_cast<uint32_t>(tiling.usedCores), stream, tokens.Address(workspace),
            indices.Address(workspace), probs.Address(workspace), permuteTokens.data,
            sortedIndices.data, permuteProbs.data, workspace + sortOffset,
            workspace + tilingOffset);
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

aclnnStatus aclnnMoeTokenPermuteWithEpGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* indices, const aclTensor* probsOptional,
    const aclIntArray* rangeOptional, int64_t numOutTokens, bool paddedMode,
    const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut,
    const aclTensor* permuteProbsOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
    Arguments call;
    call.numOutTokens = numOutTokens;
    call.paddedMode = paddedMode;
    // Without probabilities there is nothing to put there.
    const bool mayLackProbsOut = probsOptional == nullptr;
    aclnnStatus status = opapi::Capture(
        kPhase1, {{tokens, "tokens", &call.tokens},
                  {indices, "indices", &call.indices},
                  {probsOptional, "probsOptional", &call.probs, /*isOptional=*/true},
                  {permuteTokensOut, "permuteTokensOut", &call.permuteTokens},
                  {sortedIndicesOut, "sortedIndicesOut", &call.sortedIndices},
                  {permuteProbsOut, "permuteProbsOut", &call.permuteProbs, mayLackProbsOut}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(kPhase1, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = opapi::CaptureIntArray(kPhase1, rangeOptional, "rangeOptional", &call.range);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(call);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (HasNoOutput(call)) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeTokenPermuteWithEpTilingData tiling{};
    status = CheckOutputsAreDense(call);
    if (status == ACLNN_SUCCESS) {
        status = CutCall(call, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    if (tiling.usedCores == 0) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    const uint64_t sortOffset = plan.Reserve(static_cast<uint64_t>(tiling.workspaceBytes));
    Operand rows(std::move(call.tokens), &plan);
    Operand experts(std::move(call.indices), &plan);
    Operand weights(std::move(call.probs), &plan);
    plan.run = Launch{tiling,
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

aclnnStatus aclnnMoeTokenPermuteWithEp(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kPhase2, workspace, workspaceSize, executor, stream);
}
