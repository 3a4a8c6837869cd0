// The two phases of an operator, from its steps (steps.h), and the functions that the two are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "call.h"
#include "plan.h"
#include "report.h"
#include "steps.h"
#include "submission.h"

namespace entry {

template <typename Self, typename TilingData>
struct Operator : Steps<Self, TilingData> {
    using Tiling = TilingData;

    /// One launch with all tensors.
    class Work {
    public:
        Work(Call call, const Tiling& tiling, opapi::Plan* plan)
            : tiling_(tiling),
              tilingOffset_(plan->Reserve(sizeof(tiling))),
              scratchOffset_(plan->Reserve(ScratchBytes())),
              submission_(std::move(call), plan) {}

        aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
            Launch launch = submission_.On(workspace, stream);
            launch.cores = static_cast<uint32_t>(Self::Cores(tiling_));
            launch.tiling = workspace + tilingOffset_;
            launch.scratch = workspace + scratchOffset_;
            aclnnStatus status = submission_.CopyIn(workspace, stream);
            if (status == ACLNN_SUCCESS) {
                status = Self::Upload(tiling_, launch.tiling, stream);
            }
            if (status != ACLNN_SUCCESS) {
                return status;
            }
            for (const char* name : submission_.Names()) {
                if (Self::Touches(name, tiling_)) {
                    submission_.Describe(name, workspace);
                }
            }
            opapi::DescribeWorkspace(launch.scratch, ScratchBytes(), "workspace");
            opapi::DescribeRegion(launch.tiling, sizeof(tiling_), "tiling", /*writable=*/false);
            status = opapi::Launched(submission_.phases().run, launch.cores,
                                     Self::Start(launch, tiling_));
            return status == ACLNN_SUCCESS ? submission_.CopyOut(workspace, stream) : status;
        }

    private:
        uint64_t ScratchBytes() const { return static_cast<uint64_t>(Self::ScratchBytes(tiling_)); }

        Tiling tiling_;
        uint64_t tilingOffset_;
        uint64_t scratchOffset_;
        Submission submission_;
    };

    static aclnnStatus MakePlan(Call call, uint64_t* workspaceSize, aclOpExecutor** executor) {
        aclnnStatus status = Checked(&call, workspaceSize, executor);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        opapi::Plan plan;
        if (Self::HasNoWork(call)) {
            return Self::HandOut(std::move(plan), workspaceSize, executor);
        }
        Tiling tiling{};
        status = Self::CheckDense(call);
        if (status == ACLNN_SUCCESS) {
            status = CutCall(&call, &tiling);
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        if (Self::Cores(tiling) > 0) {
            plan.run = typename Self::Work(std::move(call), tiling, &plan);
        }
        return Self::HandOut(std::move(plan), workspaceSize, executor);
    }

    static aclnnStatus Run(const opapi::Phases& phases, void* workspace, uint64_t workspaceSize,
                           aclOpExecutor* executor, aclrtStream stream) {
        return opapi::RunAndFree(phases.run, workspace, workspaceSize, executor, stream);
    }

private:
    static constexpr uint64_t kReasonBytes = 512;

    static aclnnStatus Checked(Call* call, uint64_t* workspaceSize, aclOpExecutor** executor) {
        aclnnStatus status = Self::CheckFirst(*call);
        if (status == ACLNN_SUCCESS) {
            status = call->Capture();
        }
        if (status == ACLNN_SUCCESS) {
            status = opapi::CheckResults(call->Function(), workspaceSize, executor);
        }
        if (status == ACLNN_SUCCESS) {
            status = call->CaptureLists();
        }
        if (status == ACLNN_SUCCESS) {
            status = call->CheckTypes();
        }
        if (status == ACLNN_SUCCESS) {
            status = Self::CheckFormats(*call);
        }
        if (status == ACLNN_SUCCESS) {
            status = call->CheckLayouts();
        }
        return status == ACLNN_SUCCESS ? Self::Check(call) : status;
    }

    static aclnnStatus CutCall(Call* call, Tiling* tiling) {
        aclnnStatus status = call->AskMachine();
        if (status == ACLNN_SUCCESS) {
            status = call->CheckShapes(Stage::WORK);
        }
        if (status == ACLNN_SUCCESS) {
            status = call->CheckShapes(Stage::TILING);
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        char reason[kReasonBytes];
        const aclnnStatus cut = Self::Cut(*call, tiling, reason, sizeof(reason));
        return cut == ACLNN_SUCCESS
                   ? cut
                   : opapi::Fail(cut, std::string(call->Function()) + ": " + reason);
    }
};

}  // namespace entry

#define MOE_PARAMETERS(...) __VA_ARGS__
#define MOE_EXPORTED extern "C" __attribute__((visibility("default")))

// Both functions of an entry, <entry><operator>: their parameters, and those of the table.
#define MOE_BOTH_PHASES(ENTRY, IS_KERNEL_ENTRY, OPERATOR, PARAMETERS, ...)                     \
    MOE_EXPORTED aclnnStatus ENTRY##OPERATOR##GetWorkspaceSize(                                \
        MOE_PARAMETERS PARAMETERS, uint64_t* workspaceSize, aclOpExecutor** executor) {        \
        return Kernel::MakePlan({Kernel::Interface(),                                          \
                                 {#ENTRY #OPERATOR "GetWorkspaceSize", #ENTRY #OPERATOR},      \
                                 IS_KERNEL_ENTRY,                                              \
                                 {__VA_ARGS__}},                                               \
                                workspaceSize, executor);                                      \
    }                                                                                          \
    MOE_EXPORTED aclnnStatus ENTRY##OPERATOR(void* workspace, uint64_t workspaceSize,          \
                                             aclOpExecutor* executor, aclrtStream stream) {    \
        return Kernel::Run({#ENTRY #OPERATOR "GetWorkspaceSize", #ENTRY #OPERATOR}, workspace, \
                           workspaceSize, executor, stream);                                   \
    }
#define MOE_ACLNN(OPERATOR, PARAMETERS, ...) \
    MOE_BOTH_PHASES(aclnn, false, OPERATOR, PARAMETERS, __VA_ARGS__)
#define MOE_KERNEL(OPERATOR, PARAMETERS, ...) \
    MOE_BOTH_PHASES(kernel, true, OPERATOR, PARAMETERS, __VA_ARGS__)

// Both entries of an operator that take the same parameters.
#define MOE_TWO_PHASE(OPERATOR, PARAMETERS, ...) \
    MOE_ACLNN(OPERATOR, PARAMETERS, __VA_ARGS__) \
    MOE_KERNEL(OPERATOR, PARAMETERS, __VA_ARGS__)
