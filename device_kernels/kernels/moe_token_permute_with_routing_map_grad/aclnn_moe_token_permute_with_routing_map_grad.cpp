// MoeTokenPermuteWithRoutingMapGrad in two phases, as aclnn and as kernel entry, with CANN's checks
// in CANN's order: the two numbers, null pointers, data types, ranks. An empty tensor of the
// tokens' gradients then ends the call well, and the outputs stay as they are. What CANN leaves
// undefined is refused by the host tiling, or among the data types.

#include "aclnnop/aclnn_moe_token_permute_with_routing_map_grad.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aclrtlaunch_moe_token_permute_with_routing_map_grad.h"
#include "kernel_entry.h"
#include "machine.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"
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
using Tiling = MoeTokenPermuteWithRoutingMapGradTilingData;
using Job = RoutingMapGradJob;

constexpr opapi::Phases kAclnn{"aclnnMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize",
                               "aclnnMoeTokenPermuteWithRoutingMapGrad"};
constexpr opapi::Phases kKernel{"kernelMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize",
                                "kernelMoeTokenPermuteWithRoutingMapGrad"};
constexpr const char* kReadme = "MoeTokenPermuteWithRoutingMapGrad README, parameters";
constexpr uint64_t kReasonBytes = 512;
constexpr uint64_t kEntryBytes = 8;  // of a sorted row number
constexpr uint64_t kCountBytes = 4;  // of the true places of an expert

struct Attributes {
    opapi::Phases phases;
    int64_t numExperts;
    int64_t tokensNum;
    bool dropAndPad;
};

struct Tensors {
    TensorView tokens;
    TensorView probs;
    TensorView indices;
    TensorView map;
    TensorView tokensGrad;
    TensorView probsGrad;

    bool WantsProbs() const { return probs.isPresent && probsGrad.isPresent; }
};

aclnnStatus CheckAttributes(const Attributes& attributes) {
    const auto positive = [&attributes](const char* name, int64_t value) {
        return value > 0 ? ACLNN_SUCCESS
                         : Fail(ACLNN_ERR_PARAM_INVALID,
                                std::string(attributes.phases.plan) + ": " + name + " is " +
                                    std::to_string(value) + "; it must be greater than 0");
    };
    const aclnnStatus status = positive("numExperts", attributes.numExperts);
    return status != ACLNN_SUCCESS ? status : positive("tokensNum", attributes.tokensNum);
}

aclnnStatus CheckTypes(const char* function, const Tensors& tensors) {
    const auto invalid = [function](const TensorView& tensor, const std::string& rule) {
        return opapi::Invalid(function, tensor, "data type", tensor.dtype, rule, kReadme);
    };
    const aclDataType dtype = tensors.tokens.dtype;
    if (!opapi::IsFloating(dtype)) {
        return invalid(tensors.tokens, "0 (fp32), 1 (fp16) or 27 (bf16)");
    }
    const std::string same = "that of permutedTokenOutputGrad, " + std::to_string(dtype);
    if (tensors.probs.isPresent && tensors.probs.dtype != dtype) {
        return invalid(tensors.probs, same);
    }
    if (tensors.indices.dtype != ACL_INT32) {
        return invalid(tensors.indices, "3 (int32)");
    }
    if (tensors.map.isPresent && tensors.map.dtype != ACL_INT8 && tensors.map.dtype != ACL_BOOL) {
        return invalid(tensors.map, "2 (int8) or 12 (bool)");
    }
    if (tensors.tokensGrad.dtype != dtype) {
        return invalid(tensors.tokensGrad, same);
    }
    if (tensors.probsGrad.isPresent && tensors.probsGrad.dtype != dtype) {
        return invalid(tensors.probsGrad, same);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus CheckRanks(const char* function, const Tensors& tensors) {
    const auto check = [function](const TensorView& tensor, uint64_t rank) {
        return !tensor.isPresent || tensor.shape.size() == rank
                   ? ACLNN_SUCCESS
                   : opapi::Invalid(function, tensor, "rank",
                                    static_cast<int64_t>(tensor.shape.size()), std::to_string(rank),
                                    kReadme);
    };
    aclnnStatus status = check(tensors.tokens, 2);
    if (status == ACLNN_SUCCESS) {
        status = check(tensors.map, 2);
    }
    return status != ACLNN_SUCCESS ? status : check(tensors.probs, 1);
}

MoeTokenPermuteWithRoutingMapGradShape ShapeOf(const TensorView& tensor) {
    return {tensor.Dims(), tensor.shape.size()};
}

aclnnStatus CutCall(const Tensors& tensors, const Attributes& attributes, Tiling* tiling) {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(attributes.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const MoeTokenPermuteWithRoutingMapGradCall call{
        ShapeOf(tensors.tokens), ShapeOf(tensors.probs),      ShapeOf(tensors.indices),
        ShapeOf(tensors.map),    ShapeOf(tensors.tokensGrad), ShapeOf(tensors.probsGrad),
        attributes.numExperts,   attributes.tokensNum,        attributes.dropAndPad ? 1 : 0,
        tensors.tokens.dtype,    machine.vectorCores,         machine.ubBytes};
    char reason[kReasonBytes];
    const aclnnStatus cut =
        MoeTokenPermuteWithRoutingMapGradTiling(&call, tiling, reason, sizeof(reason));
    return cut == ACLNN_SUCCESS ? cut
                                : Fail(cut, std::string(attributes.phases.plan) + ": " + reason);
}

// The gradient of the probs, where the call asks for it.
struct Probs {
    Operand values;
    Operand map;
    Operand grad;
    uint64_t countsOffset;
    uint64_t countsBytes;
};

class Run {
public:
    Run(Tensors tensors, const Attributes& attributes, const Tiling& tiling, opapi::Plan* plan)
        : function_(attributes.phases.run),
          tiling_(tiling),
          dropAndPad_(attributes.dropAndPad),
          tilingOffset_(plan->Reserve(kJobs * opapi::kWorkspaceAlignment)),
          tokens_(std::move(tensors.tokens), plan),
          indices_(std::move(tensors.indices), plan),
          tokensGrad_(std::move(tensors.tokensGrad), plan),
          halfBytes_(dropAndPad_ ? tiling.sort.entries * kEntryBytes : 0),
          sortOffset_(plan->Reserve(2 * halfBytes_)) {
        if (tensors.WantsProbs()) {
            const uint64_t bytes =
                dropAndPad_ ? 0 : tiling.mask.usedCores * tiling.mask.experts * kCountBytes;
            probs_.emplace(Probs{
                Operand(std::move(tensors.probs), plan), Operand(std::move(tensors.map), plan),
                Operand(std::move(tensors.probsGrad), plan), plan->Reserve(bytes), bytes});
        }
    }

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        aclnnStatus status = CopyIn(workspace, stream);
        if (status == ACLNN_SUCCESS) {
            status = dropAndPad_ ? AddSorted(workspace, stream) : SumSlots(workspace, stream);
        }
        if (status == ACLNN_SUCCESS && probs_) {
            status = dropAndPad_ ? Scatter(workspace, stream) : ScatterMasked(workspace, stream);
        }
        if (status == ACLNN_SUCCESS) {
            status = tokensGrad_.CopyOut(workspace, stream);
        }
        if (status == ACLNN_SUCCESS && probs_) {
            status = probs_->grad.CopyOut(workspace, stream);
        }
        return status;
    }

private:
    static constexpr uint64_t kJobs = 3;  // launches of one call
    static_assert(sizeof(Tiling) <= opapi::kWorkspaceAlignment, "each launch has its own");

    aclnnStatus CopyIn(uint8_t* workspace, aclrtStream stream) const {
        std::vector<const Operand*> inputs{&tokens_, &indices_};
        if (probs_) {
            inputs.push_back(&probs_->values);
            inputs.push_back(&probs_->map);
        }
        for (const Operand* input : inputs) {
            const aclnnStatus status = input->CopyIn(workspace, stream);
            if (status != ACLNN_SUCCESS) {
                return status;
            }
        }
        return ACLNN_SUCCESS;
    }

    aclnnStatus SumSlots(uint8_t* workspace, aclrtStream stream) const {
        tokens_.Describe(workspace, /*writable=*/false);
        indices_.Describe(workspace, /*writable=*/false);
        tokensGrad_.Describe(workspace, /*writable=*/true);
        return Launch({Job::SLOT_SUM, tiling_.rowCores, 0}, tokens_.Address(workspace),
                      indices_.Address(workspace), tokensGrad_.Address(workspace), nullptr,
                      workspace, stream);
    }

    aclnnStatus AddSorted(uint8_t* workspace, aclrtStream stream) const {
        uint8_t* halves = workspace + sortOffset_;
        uint8_t* sorted = halves + (tiling_.sort.levels % 2 == 0 ? 0 : halfBytes_);
        indices_.Describe(workspace, /*writable=*/false);
        opapi::DescribeWorkspace(halves, 2 * halfBytes_, "the sorted rows");
        const aclnnStatus status =
            Launch({Job::SORT, tiling_.sort.usedCores, 0}, nullptr, indices_.Address(workspace),
                   nullptr, halves, workspace, stream);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        tokens_.Describe(workspace, /*writable=*/false);
        opapi::DescribeRegion(sorted, halfBytes_, "the sorted rows", /*writable=*/false);
        tokensGrad_.Describe(workspace, /*writable=*/true);
        return Launch({Job::ADD_SORTED, tiling_.rowCores, 1}, tokens_.Address(workspace), sorted,
                      tokensGrad_.Address(workspace), nullptr, workspace, stream);
    }

    aclnnStatus Scatter(uint8_t* workspace, aclrtStream stream) const {
        probs_->values.Describe(workspace, /*writable=*/false);
        indices_.Describe(workspace, /*writable=*/false);
        probs_->grad.Describe(workspace, /*writable=*/true);
        return Launch({Job::SCATTER, tiling_.scatter.usedCores, 2},
                      probs_->values.Address(workspace), indices_.Address(workspace),
                      probs_->grad.Address(workspace), nullptr, workspace, stream);
    }

    aclnnStatus ScatterMasked(uint8_t* workspace, aclrtStream stream) const {
        uint8_t* counts = workspace + probs_->countsOffset;
        probs_->values.Describe(workspace, /*writable=*/false);
        probs_->map.Describe(workspace, /*writable=*/false);
        probs_->grad.Describe(workspace, /*writable=*/true);
        opapi::DescribeWorkspace(counts, probs_->countsBytes, "the counts of true places");
        return Launch({Job::MASKED_SCATTER, tiling_.mask.usedCores, 2},
                      probs_->values.Address(workspace), probs_->map.Address(workspace),
                      probs_->grad.Address(workspace), counts, workspace, stream);
    }

    // `place`: where among the call's tilings this launch has its own.
    struct One {
        Job job;
        int64_t cores;
        uint64_t place;
    };

    aclnnStatus Launch(const One& one, void* source, void* names, void* output, void* scratch,
                       uint8_t* workspace, aclrtStream stream) const {
        Tiling tiling = tiling_;
        tiling.job = one.job;
        uint8_t* onDevice = workspace + tilingOffset_ + one.place * opapi::kWorkspaceAlignment;
        const aclnnStatus status = opapi::UploadTiling(&tiling, sizeof(tiling), onDevice, stream);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        opapi::DescribeRegion(onDevice, sizeof(tiling), "tiling", /*writable=*/false);
        const uint32_t launched = aclrtlaunch_moe_token_permute_with_routing_map_grad(
            static_cast<uint32_t>(one.cores), stream, source, names, output, scratch, onDevice);
        return opapi::Launched(function_, one.cores, launched);
    }

    const char* function_;
    Tiling tiling_;
    bool dropAndPad_;
    uint64_t tilingOffset_;
    Operand tokens_;
    Operand indices_;
    Operand tokensGrad_;
    uint64_t halfBytes_;  // of the sorted entries
    uint64_t sortOffset_;
    std::optional<Probs> probs_;
};

aclnnStatus Check(const char* function, const Tensors& tensors) {
    aclnnStatus status = CheckTypes(function, tensors);
    for (const TensorView* tensor : {&tensors.tokens, &tensors.probs, &tensors.indices,
                                     &tensors.map, &tensors.tokensGrad, &tensors.probsGrad}) {
        if (status == ACLNN_SUCCESS) {
            status = opapi::CheckFormats(function, {tensor}, kReadme);
        }
        if (status == ACLNN_SUCCESS) {
            status = opapi::CheckLayouts(function, {tensor});
        }
    }
    return status != ACLNN_SUCCESS ? status : CheckRanks(function, tensors);
}

aclnnStatus MakePlan(const Attributes& attributes, const aclTensor* permutedTokenOutputGrad,
                     const aclTensor* permutedProbsOutputGradOptional,
                     const aclTensor* sortedIndices, const aclTensor* routingMapOptional,
                     const aclTensor* tokensGradOut, const aclTensor* probsGradOutOptional,
                     uint64_t* workspaceSize, aclOpExecutor** executor) {
    const char* function = attributes.phases.plan;
    Tensors tensors;
    // Without probs there is nothing that needs the map.
    const bool mayLackMap = permutedProbsOutputGradOptional == nullptr;
    aclnnStatus status = CheckAttributes(attributes);
    if (status == ACLNN_SUCCESS) {
        status = opapi::Capture(
            function,
            {{permutedTokenOutputGrad, "permutedTokenOutputGrad", &tensors.tokens},
             {sortedIndices, "sortedIndices", &tensors.indices},
             {tokensGradOut, "tokensGradOut", &tensors.tokensGrad},
             {routingMapOptional, "routingMapOptional", &tensors.map, mayLackMap},
             {permutedProbsOutputGradOptional, "permutedProbsOutputGradOptional", &tensors.probs,
              /*isOptional=*/true},
             {probsGradOutOptional, "probsGradOutOptional", &tensors.probsGrad,
              /*isOptional=*/true}});
    }
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(function, workspaceSize, executor);
    }
    if (status == ACLNN_SUCCESS) {
        status = Check(function, tensors);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (tensors.tokens.IsEmpty() || tensors.tokensGrad.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    Tiling tiling{};
    status = CutCall(tensors, attributes, &tiling);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    plan.run = Run(std::move(tensors), attributes, tiling, &plan);
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace

aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize(
    const aclTensor* permutedTokenOutputGrad, const aclTensor* permutedProbsOutputGradOptional,
    const aclTensor* sortedIndices, const aclTensor* routingMapOptional, int64_t numExperts,
    int64_t tokensNum, bool dropAndPad, aclTensor* tokensGradOut, aclTensor* probsGradOutOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan({kAclnn, numExperts, tokensNum, dropAndPad}, permutedTokenOutputGrad,
                    permutedProbsOutputGradOptional, sortedIndices, routingMapOptional,
                    tokensGradOut, probsGradOutOptional, workspaceSize, executor);
}

aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGrad(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize(
    const aclTensor* permutedTokenOutputGrad, const aclTensor* permutedProbsOutputGradOptional,
    const aclTensor* sortedIndices, const aclTensor* routingMapOptional, int64_t numExperts,
    int64_t tokensNum, bool dropAndPad, aclTensor* tokensGradOut, aclTensor* probsGradOutOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
    return MakePlan({kKernel, numExperts, tokensNum, dropAndPad}, permutedTokenOutputGrad,
                    permutedProbsOutputGradOptional, sortedIndices, routingMapOptional,
                    tokensGradOut, probsGradOutOptional, workspaceSize, executor);
}

MOE_KERNEL_ENTRY kernelMoeTokenPermuteWithRoutingMapGrad(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream) {
    return opapi::RunAndFree(kKernel.run, workspace, workspaceSize, executor, stream);
}
