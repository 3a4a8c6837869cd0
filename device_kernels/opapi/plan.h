// The two phases: phase 1 makes a plan and hands it out as the executor, phase 2 uses it up.
#pragma once

#include <cstdint>
#include <functional>

#include "acl/acl_rt.h"
#include "aclnn/aclnn_base.h"

namespace opapi {

/// Workspace offsets are multiples of this, as device allocations are.
inline constexpr uint64_t kWorkspaceAlignment = 512;

/// What a workspace must begin at: a core writes whole lines of its cache, and a line that is not
/// the workspace's alone may hold somebody else's bytes.
inline constexpr uint64_t kLeastAlignment = 64;

/// What an operator's two functions are called, as their texts say: there are an aclnn entry and
/// one of the project's own, which share what they do (kernel_entry.h).
struct Phases {
    const char* plan;
    const char* run;
};

/// What phase 1 decided. `run` submits the work to the stream; empty: there is nothing to do.
struct Plan {
    uint64_t workspaceBytes = 0;
    std::function<aclnnStatus(uint8_t* workspace, aclrtStream stream)> run;

    /// Sets bytes of workspace aside and returns their offset.
    uint64_t Reserve(uint64_t bytes);
};

/// 161001, with a text, where one of phase 1's two results has no place to go.
aclnnStatus CheckResults(const char* function, const uint64_t* workspaceSize,
                         aclOpExecutor* const* executor);

/// Ends phase 1: hands out the plan and the workspace it needs.
aclnnStatus HandOut(Plan plan, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: runs the plan and frees it, also where it fails. A null executor answers 161001; one
/// that phase 1 did not hand out, or that was used up or destroyed before, 161002. If there is work
/// to do, a null workspace answers 161001, one that is too small or misaligned 161002.
aclnnStatus RunAndFree(const char* function, void* workspace, uint64_t workspaceSize,
                       aclOpExecutor* executor, aclrtStream stream);

/// Frees a plan that never reached phase 2; the statuses are those of phase 2.
aclnnStatus Destroy(const char* function, aclOpExecutor* executor);

}  // namespace opapi
