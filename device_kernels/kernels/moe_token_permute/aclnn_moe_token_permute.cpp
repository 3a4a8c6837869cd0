// MoeTokenPermute in two phases, as aclnn and as kernel entry, with CANN's checks in CANN's order:
// null pointers, then data types and formats, then the host tiling's rules on attributes and
// shapes. Empty outputs need no work, so they are accepted before the tiling is asked. The document
// itself says that paddedMode is not supported, so neither entry takes it.

#include "aclnnop/aclnn_moe_token_permute.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_permute.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_permute_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace {

using opapi::Operand;
using opapi::TensorView;

constexpr opapi::Phases kAclnn{"aclnnMoeTokenPermuteGetWorkspaceSize", "aclnnMoeTokenPermute"};
constexpr opapi::Phases kKernel{"kernelMoeTokenPermuteGetWorkspaceSize", "kernelMoeTokenPermute"};
constexpr const char* kDefinition = "operator definition of MoeTokenPermute";
constexpr uint64_t kReasonBytes = 512;

struct Arguments {
    opapi::Phases phases;
    int64_t numOutTokens;
    bool paddedMode;
    TensorView tokens;
    TensorView indices;
    TensorView permuteTokens;
    TensorView sortedIndices;
};

aclnnStatus CheckTypes(const Arguments& call) {
    const auto invalid = [&call](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(call.phases.plan, tensor, "data type", tensor.dtype, rule,
                              kDefinition);
    };
    const aclDataType dtype = call.tokens.dtype;
    if (!opapi::IsFloating(dtype) && dtype != ACL_INT8) {
        return invalid(call.tokens, "0 (fp32), 1 (fp16), 2 (int8) or 27 (bf16)");
    }
    if (call.indices.dtype != ACL_INT32 && call.indices.dtype != ACL_INT64) {
        return invalid(call.indices, "3 (int32) or 9 (int64)");
    }
    if (call.permuteTokens.dtype != dtype) {
        return invalid(call.permuteTokens, "that of tokens, " + std::to_string(dtype));
    }
    if (call.sortedIndices.dtype != ACL_INT32) {
        return invalid(call.sortedIndices, "3 (int32)");
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const Arguments& call) {
    const auto tensors = {&call.tokens, &call.indices, &call.permuteTokens, &call.sortedIndices};
    aclnnStatus status = CheckTypes(call);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(call.phases.plan, tensors, kDefinition);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(call.phases.plan, tensors);
}

SlotCopyList ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Arguments& call, MoeTokenPermuteTilingData* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(call.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeTokenPermuteCall view{ShapeOf(call.tokens),        ShapeOf(call.indices),
                                   ShapeOf(call.permuteTokens), ShapeOf(call.sortedIndices),
                                   call.numOutTokens,           call.paddedMode,
                                   call.tokens.dtype,           call.indices.dtype,
                                   machine.vectorCores,         machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeTokenPermuteTiling(&view, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut
                                : opapi::Fail(cut, std::string(call.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeTokenPermuteTilingData tiling;
    uint64_t tilingOffset;
    uint64_t sortOffset;
    Operand tokens;
    Operand indices;
    TensorView permuteTokens;
    TensorView sortedIndices;

    aclnnStatus Prepare(uint8_t* workspace, aclrtStream stream) const {
        aclnnStatus status = tokens.CopyIn(workspace, stream);
        if (status == ACLNN_SUCCESS) {
            status = indices.CopyIn(workspace, stream);
        }
        return status == ACLNN_SUCCESS
                   ? opapi::UploadTiling(&tiling, sizeof(tiling), workspace + tilingOffset, stream)
                   : status;
    }

    void Describe(uint8_t* workspace) const {
        tokens.Describe(workspace, /*writable=*/false);
        indices.Describe(workspace, /*writable=*/false);
        for (const TensorView* output : {&permuteTokens, &sortedIndices}) {
            opapi::DescribeRegion(output->data, output->Bytes(), output->name, /*writable=*/true);
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
        const uint32_t launched = aclrtlaunch_moe_token_permute(
            static_cast<uint32_t>(tiling.slots.usedCores), stream, tokens.Address(workspace),
            indices.Address(workspace), permuteTokens.data, sortedIndices.data,
            workspace + sortOffset, workspace + tilingOffset);
        return opapi::Launched(function, tiling.slots.usedCores, launched);
    }
};

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* tokens, const aclTensor* indices,
                     int64_t numOutTokens, bool paddedMode, const aclTensor* permuteTokensOut,
                     const aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
                     aclOpExecutor** executor) {
    Arguments call{phases, numOutTokens, paddedMode, {}, {}, {}, {}};
    aclnnStatus status =
        opapi::Capture(phases.plan, {{tokens, "tokens", &call.tokens},
                                     {indices, "indices", &call.indices},
                                     {permuteTokensOut, "permuteTokensOut", &call.permuteTokens},
                                     {sortedIndicesOut, "sortedIndicesOut", &call.sortedIndices}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(phases.plan, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(call);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (call.permuteTokens.IsEmpty() && call.sortedIndices.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    MoeTokenPermuteTilingData tiling{};
    status = opapi::CheckDense(phases.plan, {&call.permuteTokens, &call.sortedIndices});
    if (status == ACLNN_SUCCESS) {
        status = CutCall(call, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    // An output is not empty, and has the size that the tiling asks for: there are slots to sort.
    const uint64_t tilingOffset = plan.Reserve(sizeof(tiling));
    const uint64_t sortOffset = plan.Reserve(static_cast<uint64_t>(tiling.slots.workspaceBytes));
    Operand rows(std::move(call.tokens), &plan);
    Operand experts(std::move(call.indices), &plan);
    plan.run = Launch{phases.run,
                      tiling,
                      tilingOffset,
                      sortOffset,
                      std::move(rows),
                      std::move(experts),
                      std::move(call.permuteTokens),
                      std::move(call.sortedIndices)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenPermuteGetWorkspaceSize(const aclTensor* tokens, const aclTensor* indices,
                                                 int64_t numOutTokens, bool paddedMode,
                                                 const aclTensor* permuteTokensOut,
                                                 const aclTensor* sortedIndicesOut,
                                                 uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
    return MakePlan(kAclnn, tokens, indices, numOutTokens, paddedMode, permuteTokensOut,
                    sortedIndicesOut, workspaceSize, executor);
}

aclnnStatus aclnnMoeTokenPermute(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* indices, int64_t numOutTokens, bool paddedMode,
    const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return MakePlan(kKernel, tokens, indices, numOutTokens, paddedMode, permuteTokensOut,
                    sortedIndicesOut, workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermute(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
