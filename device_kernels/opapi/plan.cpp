#include "plan.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "report.h"

extern "C" __attribute__((weak)) void ascendsimNoteFunction(const char* name);

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

namespace {

// The plans handed out and not used up yet, by the pointers that travel as executors: a pointer is
// only followed once it is found here. Leaked: callers may still launch from static destructors.
struct LivePlans {
    std::mutex mutex;
    std::unordered_map<const aclOpExecutor*, std::unique_ptr<Plan>> plans;
};

LivePlans& ThePlans() {
    static auto* plans = new LivePlans;
    return *plans;
}

// The plan behind an executor, now the caller's own; null where there is none.
std::unique_ptr<Plan> Take(const aclOpExecutor* executor) {
    LivePlans& live = ThePlans();
    const std::lock_guard<std::mutex> lock(live.mutex);
    const auto found = live.plans.find(executor);
    if (found == live.plans.end()) {
        return nullptr;
    }
    std::unique_ptr<Plan> plan = std::move(found->second);
    live.plans.erase(found);
    return plan;
}

aclnnStatus UnknownExecutor(const char* function) {
    return Fail(ACLNN_ERR_PARAM_INVALID,
                std::string(function) +
                    ": executor is none that phase 1 handed out, or it was used up or destroyed "
                    "before; each call needs its own phase 1");
}

aclnnStatus NullExecutor(const char* function) {
    return Fail(ACLNN_ERR_PARAM_NULLPTR,
                std::string(function) + ": executor is null; it must be phase 1's");
}

}  // namespace

// CANN defines aclOpExecutor for itself, so a plan only travels under that name.
aclnnStatus HandOut(Plan plan, uint64_t* workspaceSize, aclOpExecutor** executor) {
    auto owned = std::make_unique<Plan>(std::move(plan));
    *workspaceSize = owned->workspaceBytes;
    *executor = reinterpret_cast<aclOpExecutor*>(owned.get());
    LivePlans& live = ThePlans();
    const std::lock_guard<std::mutex> lock(live.mutex);
    live.plans[*executor] = std::move(owned);
    return ACLNN_SUCCESS;
}

aclnnStatus RunAndFree(const char* function, void* workspace, uint64_t workspaceSize,
                       aclOpExecutor* executor, aclrtStream stream) {
    if (ascendsimNoteFunction != nullptr) {
        ascendsimNoteFunction(function);
    }
    if (executor == nullptr) {
        return NullExecutor(function);
    }
    const std::unique_ptr<Plan> plan = Take(executor);
    if (plan == nullptr) {
        return UnknownExecutor(function);
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
    const auto address = reinterpret_cast<uintptr_t>(workspace);
    if (address % kLeastAlignment != 0) {
        return Fail(ACLNN_ERR_PARAM_INVALID,
                    std::string(function) + ": workspace begins " +
                        std::to_string(address % kLeastAlignment) + " bytes behind a multiple of " +
                        std::to_string(kLeastAlignment) + "; it must begin at one");
    }
    return plan->run(static_cast<uint8_t*>(workspace), stream);
}

aclnnStatus Destroy(const char* function, aclOpExecutor* executor) {
    if (executor == nullptr) {
        return NullExecutor(function);
    }
    return Take(executor) == nullptr ? UnknownExecutor(function) : ACLNN_SUCCESS;
}

}  // namespace opapi
