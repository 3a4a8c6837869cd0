// MoeInitRoutingV2 in two phases, as aclnn and as kernel entry, with CANN's checks in CANN's order:
// null pointers, then data types and formats, then the host tiling's rules on attributes and
// shapes. Empty outputs need no work, so they are accepted before the tiling is asked. Numbers of
// slots go to one of two outputs, as the mode says; the other one is not touched.

#include "aclnnop/aclnn_moe_init_routing_v2.h"

#include <string>
#include <utility>

#include "aclrtlaunch_moe_init_routing_v2.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_init_routing_v2_tiling.h"
#include "operand.h"
#include "plan.h"
#include "report.h"
#include "tensor_view.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace {

using opapi::Operand;
using opapi::TensorView;

constexpr opapi::Phases kAclnn{"aclnnMoeInitRoutingV2GetWorkspaceSize", "aclnnMoeInitRoutingV2"};
constexpr opapi::Phases kKernel{"kernelMoeInitRoutingV2GetWorkspaceSize", "kernelMoeInitRoutingV2"};
constexpr const char* kDefinition = "operator definition of MoeInitRoutingV2";
constexpr uint64_t kReasonBytes = 512;

struct Attributes {
    opapi::Phases phases;
    int64_t activeNum;
    int64_t expertCapacity;
    int64_t expertNum;
    int64_t dropPadMode;
    int64_t countOrCumsumFlag;
    bool beforeCapacityFlag;
};

struct Arguments {
    Attributes attributes;
    TensorView x;
    TensorView expertIdx;
    TensorView expandedX;
    TensorView expandedRowIdx;
    TensorView countOrCumsum;
    TensorView beforeCapacity;
};

aclnnStatus CheckTypes(const char* function, const Arguments& call) {
    const auto invalid = [function](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(function, tensor, "data type", tensor.dtype, rule, kDefinition);
    };
    if (!opapi::IsFloating(call.x.dtype)) {
        return invalid(call.x, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    if (call.expertIdx.dtype != ACL_INT32) {
        return invalid(call.expertIdx, "3 (int32)");
    }
    if (call.expandedX.dtype != call.x.dtype) {
        return invalid(call.expandedX, "that of x, " + std::to_string(call.x.dtype));
    }
    for (const TensorView* tensor :
         {&call.expandedRowIdx, &call.countOrCumsum, &call.beforeCapacity}) {
        if (tensor->isPresent && tensor->dtype != ACL_INT32) {
            return invalid(*tensor, "3 (int32)");
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Check(const char* function, const Arguments& call) {
    const auto tensors = {&call.x,
                          &call.expertIdx,
                          &call.expandedX,
                          &call.expandedRowIdx,
                          &call.countOrCumsum,
                          &call.beforeCapacity};
    aclnnStatus status = CheckTypes(function, call);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckFormats(function, tensors, kDefinition);
    }
    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(function, tensors);
}

bool HasNoOutput(const Arguments& call) {
    const auto isNothing = [](const TensorView& tensor) {
        return !tensor.isPresent || tensor.IsEmpty();
    };
    return call.expandedX.IsEmpty() && call.expandedRowIdx.IsEmpty() &&
           isNothing(call.countOrCumsum) && isNothing(call.beforeCapacity);
}

SlotCopyList ShapeOf(const TensorView& tensor) {
    return {tensor.shape.data(), tensor.shape.size()};
}

aclnnStatus CutCall(const Arguments& call, MoeInitRoutingV2TilingData* tiling) {
    const Attributes& attributes = call.attributes;
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(attributes.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeInitRoutingV2Call view{ShapeOf(call.x),
                                    ShapeOf(call.expertIdx),
                                    ShapeOf(call.expandedX),
                                    ShapeOf(call.expandedRowIdx),
                                    ShapeOf(call.countOrCumsum),
                                    ShapeOf(call.beforeCapacity),
                                    call.countOrCumsum.isPresent,
                                    call.beforeCapacity.isPresent,
                                    attributes.activeNum,
                                    attributes.expertCapacity,
                                    attributes.expertNum,
                                    attributes.dropPadMode,
                                    attributes.countOrCumsumFlag,
                                    attributes.beforeCapacityFlag,
                                    call.x.dtype,
                                    machine.vectorCores,
                                    machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut = MoeInitRoutingV2Tiling(&view, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS
               ? cut
               : opapi::Fail(cut, std::string(attributes.phases.plan) + ": " + reason);
}

struct Launch {
    const char* function;
    MoeInitRoutingV2TilingData tiling;
    uint64_t tilingOffset;
    uint64_t sortOffset;
    Operand x;
    Operand expertIdx;
    TensorView expandedX;
    TensorView expandedRowIdx;
    TensorView counts;

    aclnnStatus Prepare(uint8_t* workspace, aclrtStream stream) const {
        aclnnStatus status = x.CopyIn(workspace, stream);
        if (status == ACLNN_SUCCESS) {
            status = expertIdx.CopyIn(workspace, stream);
        }
        return status == ACLNN_SUCCESS
                   ? opapi::UploadTiling(&tiling, sizeof(tiling), workspace + tilingOffset, stream)
                   : status;
    }

    void Describe(uint8_t* workspace) const {
        x.Describe(workspace, /*writable=*/false);
        expertIdx.Describe(workspace, /*writable=*/false);
        for (const TensorView* output : {&expandedX, &expandedRowIdx, &counts}) {
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
        const uint32_t launched = aclrtlaunch_moe_init_routing_v2(
            static_cast<uint32_t>(tiling.slots.usedCores), stream, x.Address(workspace),
            expertIdx.Address(workspace), expandedX.data, expandedRowIdx.data, counts.data,
            workspace + sortOffset, workspace + tilingOffset);
        return opapi::Launched(function, tiling.slots.usedCores, launched);
    }
};

// The output that numbers of slots go to: what the tiling has them counted for.
TensorView TakeCounts(Arguments* call, const MoeInitRoutingV2TilingData& tiling) {
    if (tiling.counts == 0) {
        return {};
    }
    return std::move(call->attributes.dropPadMode == 1 ? call->beforeCapacity
                                                       : call->countOrCumsum);
}

struct Given {
    const aclTensor* x;
    const aclTensor* expertIdx;
    const aclTensor* expandedX;
    const aclTensor* expandedRowIdx;
    const aclTensor* countOrCumsum;
    const aclTensor* beforeCapacity;
};

aclnnStatus Capture(const char* function, const Given& given, Arguments* call) {
    return opapi::Capture(function,
                          {{given.x, "x", &call->x},
                           {given.expertIdx, "expertIdx", &call->expertIdx},
                           {given.expandedX, "expandedXOut", &call->expandedX},
                           {given.expandedRowIdx, "expandedRowIdxOut", &call->expandedRowIdx},
                           {given.countOrCumsum, "expertTokensCountOrCumsumOutOptional",
                            &call->countOrCumsum, /*isOptional=*/true},
                           {given.beforeCapacity, "expertTokensBeforeCapacityOutOptional",
                            &call->beforeCapacity, /*isOptional=*/true}});
}

aclnnStatus MakePlan(const Attributes& attributes, const Given& given, uint64_t* workspaceSize,
                     aclOpExecutor** executor) {
    const char* function = attributes.phases.plan;
    Arguments call{attributes, {}, {}, {}, {}, {}, {}};
    aclnnStatus status = Capture(function, given, &call);
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(function, workspaceSize, executor);
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
    MoeInitRoutingV2TilingData tiling{};
    status = opapi::CheckDense(function, {&call.expandedX, &call.expandedRowIdx,
                                          &call.countOrCumsum, &call.beforeCapacity});
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
    Operand rows(std::move(call.x), &plan);
    Operand experts(std::move(call.expertIdx), &plan);
    plan.run = Launch{attributes.phases.run,
                      tiling,
                      tilingOffset,
                      sortOffset,
                      std::move(rows),
                      std::move(experts),
                      std::move(call.expandedX),
                      std::move(call.expandedRowIdx),
                      TakeCounts(&call, tiling)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeInitRoutingV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIdx, int64_t activeNumOptional,
    int64_t expertCapacityOptional, int64_t expertNumOptional, int64_t dropPadModeOptional,
    int64_t expertTokensCountOrCumsumFlagOptional, bool expertTokensBeforeCapacityFlagOptional,
    const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
    const aclTensor* expertTokensCountOrCumsumOutOptional,
    const aclTensor* expertTokensBeforeCapacityOutOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return MakePlan(
        {kAclnn, activeNumOptional, expertCapacityOptional, expertNumOptional, dropPadModeOptional,
         expertTokensCountOrCumsumFlagOptional, expertTokensBeforeCapacityFlagOptional},
        {x, expertIdx, expandedXOut, expandedRowIdxOut, expertTokensCountOrCumsumOutOptional,
         expertTokensBeforeCapacityOutOptional},
        workspaceSize, executor);
}

aclnnStatus aclnnMoeInitRoutingV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeInitRoutingV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIdx, int64_t activeNum, int64_t expertCapacity,
    int64_t expertNum, int64_t dropPadMode, int64_t countOrCumsumFlag, bool beforeCapacityFlag,
    const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
    const aclTensor* countOrCumsumOut, const aclTensor* beforeCapacityOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
    return MakePlan(
        {kKernel, activeNum, expertCapacity, expertNum, dropPadMode, countOrCumsumFlag,
         beforeCapacityFlag},
        {x, expertIdx, expandedXOut, expandedRowIdxOut, countOrCumsumOut, beforeCapacityOut},
        workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeInitRoutingV2(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
