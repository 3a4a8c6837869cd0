#include "plan.h"

#include <memory>
#include <string>
#include <utility>

#include "report.h"

namespace opapi {

uint64_t Plan::Reserve(uint64_t bytes) {
    const uint64_t offset = workspaceBytes;
    workspaceBytes += (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
    return offset;
}

aclnnStatus CheckResults(const char* function, const uint64_t* workspaceSize,
                         aclOpExecutor* const* executor) {
    const char* missing = workspaceSize == nullptr ? "workspaceSize"
                          : executor == nullptr    ? "executor"
                                                   : nullptr;
    if (missing == nullptr) {
        return ACLNN_SUCCESS;
    }
    return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string(function) + ": " + missing +
                                             " is null; it must be a place for the result");
}

// CANN defines aclOpExecutor for itself, so a plan only travels under that name.
aclnnStatus HandOut(Plan plan, uint64_t* workspaceSize, aclOpExecutor** executor) {
    auto owned = std::make_unique<Plan>(std::move(plan));
    *workspaceSize = owned->workspaceBytes;
    *executor = reinterpret_cast<aclOpExecutor*>(owned.release());
    return ACLNN_SUCCESS;
}

aclnnStatus RunAndFree(const char* function, void* workspace, uint64_t workspaceSize,
                       aclOpExecutor* executor, aclrtStream stream) {
    const std::unique_ptr<Plan> plan(reinterpret_cast<Plan*>(executor));
    if (plan == nullptr) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR,
                    std::string(function) + ": executor is null; it must be phase 1's");
    }
    if (!plan->run) {
        return ACLNN_SUCCESS;
    }
    if (workspace == nullptr) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR,
                    std::string(function) + ": workspace is null; it must be device memory of " +
                        std::to_string(plan->workspaceBytes) + " bytes, as phase 1 said");
    }
    if (workspaceSize < plan->workspaceBytes) {
        return Fail(ACLNN_ERR_PARAM_INVALID,
                    std::string(function) + ": workspaceSize is " + std::to_string(workspaceSize) +
                        "; it must be at least " + std::to_string(plan->workspaceBytes) +
                        ", as phase 1 said");
    }
    return plan->run(static_cast<uint8_t*>(workspace), stream);
}

}  // namespace opapi
