// MoeTokenPermuteWithRoutingMap in two phases, as aclnn and as kernel entry, with CANN's checks in
// CANN's order: null pointers, data types, then the host tiling's rules, of which the first answer
// as CANN's interface does and the others as its tiling. An empty map or output ends the call well,
// and the outputs stay as they are. Without probs their output is neither read nor written.

#include "aclnnop/aclnn_moe_token_permute_with_routing_map.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_token_permute_with_routing_map.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_permute_with_routing_map_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace {

using opapi::Operand;
using opapi::TensorView;
using Tiling = MoeTokenPermuteWithRoutingMapTilingData;

constexpr opapi::Phases kAclnn{"aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize",
                               "aclnnMoeTokenPermuteWithRoutingMap"};
constexpr opapi::Phases kKernel{"kernelMoeTokenPermuteWithRoutingMapGetWorkspaceSize",
                                "kernelMoeTokenPermuteWithRoutingMap"};
constexpr const char* kReadme = "MoeTokenPermuteWithRoutingMap README, parameters";
constexpr uint64_t kReasonBytes = 512;

struct Arguments {
    opapi::Phases phases;
    int64_t numOutTokens;
    bool dropAndPad;
    TensorView tokens;
    TensorView routingMap;
    TensorView probs;
    TensorView permuteTokens;
    TensorView permuteProbs;
    TensorView sortedIndices;
};

aclnnStatus CheckTypes(const Arguments& call) {
    const auto invalid = [&call](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(call.phases.plan, tensor, "data type", tensor.dtype, rule, kReadme);
    };
    const aclDataType dtype = call.tokens.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(call.tokens, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (call.routingMap.dtype != ACL_INT8 && call.routingMap.dtype != ACL_BOOL) {
        return invalid(call.routingMap, "2 (int8) or 12 (bool)");
    }
    const std::string same = "that of tokens, " + std::to_string(dtype);
    for (const TensorView* tensor : {&call.probs, &call.permuteTokens, &call.permuteProbs}) {
        if (tensor->isPresent && tensor->dtype != dtype) {
            return invalid(*tensor, same);
        }
    }
    return call.sortedIndices.dtype == ACL_INT32 ? ACLNN_SUCCESS
                                                 : invalid(call.sortedIndices, "3 (int32)");
}

aclnnStatus Check(const Arguments& call) {
    const auto tensors = {&call.tokens,        &call.routingMap,   &call.probs,
                          &call.permuteTokens, &call.permuteProbs, &call.sortedIndices};
    aclnnStatus status = CheckTypes(call);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(call.phases.plan, tensors, kReadme);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(call.phases.plan, tensors);
}

SlotCopyList ShapeOf(const TensorView& tensor) { return {tensor.Dims(), tensor.shape.size()}; }

aclnnStatus CutCall(const Arguments& call, Tiling* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(call.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeTokenPermuteWithRoutingMapCall view{ShapeOf(call.tokens),
                                                 ShapeOf(call.routingMap),
                                                 ShapeOf(call.probs),
                                                 ShapeOf(call.permuteTokens),
                                                 ShapeOf(call.permuteProbs),
                                                 ShapeOf(call.sortedIndices),
                                                 call.numOutTokens,
                                                 call.dropAndPad ? 1 : 0,
                                                 call.tokens.dtype,
                                                 machine.vectorCores,
                                                 machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut =
        MoeTokenPermuteWithRoutingMapTiling(&view, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut
                                : opapi::Fail(cut, std::string(call.phases.plan) + ": " + reason);
}

class Launch {
public:
    Launch(Arguments call, const Tiling& tiling, opapi::Plan* plan)
        : function_(call.phases.run),
          tiling_(tiling),
          tilingOffset_(plan->Reserve(sizeof(tiling))),
          scratchOffset_(plan->Reserve(ScratchBytes())),
          tokens_(std::move(call.tokens), plan),
          routingMap_(std::move(call.routingMap), plan),
          probs_(std::move(call.probs), plan),
          permuteTokens_(std::move(call.permuteTokens), plan),
          permuteProbs_(std::move(call.permuteProbs), plan),
          sortedIndices_(std::move(call.sortedIndices), plan) {}

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        aclnnStatus status = ACLNN_SUCCESS;
        for (const Operand* input : {&tokens_, &routingMap_, &probs_}) {
            if (status == ACLNN_SUCCESS) {
                status = input->CopyIn(workspace, stream);
            }
        }
        if (status == ACLNN_SUCCESS) {
            status =
                opapi::UploadTiling(&tiling_, sizeof(tiling_), workspace + tilingOffset_, stream);
        }
        if (status == ACLNN_SUCCESS) {
            status = LaunchKernel(workspace, stream);
        }
        for (const Operand* output : {&permuteTokens_, &permuteProbs_, &sortedIndices_}) {
            if (status == ACLNN_SUCCESS) {
                status = output->CopyOut(workspace, stream);
            }
        }
        return status;
    }

private:
    uint64_t ScratchBytes() const { return static_cast<uint64_t>(tiling_.slots.workspaceBytes); }

    aclnnStatus LaunchKernel(uint8_t* workspace, aclrtStream stream) const {
        for (const Operand* input : {&tokens_, &routingMap_, &probs_}) {
            input->Describe(workspace, /*writable=*/false);
        }
        for (const Operand* output : {&permuteTokens_, &permuteProbs_, &sortedIndices_}) {
            output->Describe(workspace, /*writable=*/true);
        }
        opapi::DescribeWorkspace(workspace + scratchOffset_, ScratchBytes(), "workspace");
        opapi::DescribeRegion(workspace + tilingOffset_, sizeof(tiling_), "tiling",
                              /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_token_permute_with_routing_map(
            static_cast<uint32_t>(tiling_.slots.usedCores), stream, tokens_.Address(workspace),
            routingMap_.Address(workspace), probs_.Address(workspace),
            permuteTokens_.Address(workspace), permuteProbs_.Address(workspace),
            sortedIndices_.Address(workspace), workspace + scratchOffset_,
            workspace + tilingOffset_);
        return opapi::Launched(function_, tiling_.slots.usedCores, launched);
    }

    const char* function_;
    Tiling tiling_;
    uint64_t tilingOffset_;
    uint64_t scratchOffset_;
    Operand tokens_;
    Operand routingMap_;
    Operand probs_;
    Operand permuteTokens_;
    Operand permuteProbs_;
    Operand sortedIndices_;
};

aclnnStatus MakePlan(const opapi::Phases& phases, const aclTensor* tokens,
                     const aclTensor* routingMap, const aclTensor* probsOptional,
                     int64_t numOutTokens, bool dropAndPad, const aclTensor* permuteTokensOut,
                     const aclTensor* permuteProbsOutOptional, const aclTensor* sortedIndicesOut,
                     uint64_t* workspaceSize, aclOpExecutor** executor) {
    Arguments call{phases, numOutTokens, dropAndPad, {}, {}, {}, {}, {}, {}};
    const bool hasProbs = probsOptional != nullptr;
    aclnnStatus status = opapi::Capture(
        phases.plan, {{tokens, "tokens", &call.tokens},
                      {routingMap, "routingMap", &call.routingMap},
                      {probsOptional, "probsOptional", &call.probs, /*isOptional=*/true},
                      {permuteTokensOut, "permuteTokensOut", &call.permuteTokens},
                      {sortedIndicesOut, "sortedIndicesOut", &call.sortedIndices},
                      {hasProbs ? permuteProbsOutOptional : nullptr, "permuteProbsOutOptional",
                       &call.permuteProbs, /*isOptional=*/!hasProbs}});
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(phases.plan, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(call);
    }
    Tiling tiling{};
    if (status == ACLNN_SUCCESS) {
        status = CutCall(call, &tiling);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (tiling.slots.usedCores > 0) {
        plan.run = Launch(std::move(call), tiling, &plan);
    }
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* routingMap, const aclTensor* probsOptional,
    int64_t numOutTokens, bool dropAndPad, aclTensor* permuteTokensOut,
    aclTensor* permuteProbsOutOptional, aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return MakePlan(kAclnn, tokens, routingMap, probsOptional, numOutTokens, dropAndPad,
                    permuteTokensOut, permuteProbsOutOptional, sortedIndicesOut, workspaceSize,
                    executor);
}

aclnnStatus aclnnMoeTokenPermuteWithRoutingMap(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* routingMap, const aclTensor* probsOptional,
    int64_t numOutTokens, bool dropAndPad, aclTensor* permuteTokensOut,
    aclTensor* permuteProbsOutOptional, aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return MakePlan(kKernel, tokens, routingMap, probsOptional, numOutTokens, dropAndPad,
                    permuteTokensOut, permuteProbsOutOptional, sortedIndicesOut, workspaceSize,
                    executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithRoutingMap(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
