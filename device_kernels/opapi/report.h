// Statuses with a sentence each, for aclGetRecentErrMsg.
#pragma once

#include <cstdint>
#include <string>

#include "aclnn/aclnn_base.h"

namespace opapi {

/// Leaves `text` where the user looks for it and answers `status`. The simulator takes it for
/// aclGetRecentErrMsg; CANN has no public way to set that text, so there it goes to stderr.
aclnnStatus Fail(aclnnStatus status, const std::string& text);

/// What a kernel's launch answered, as phase 2 tells it: 361001, with a text, unless it is 0.
aclnnStatus Launched(const char* function, int64_t cores, uint32_t answer);

}  // namespace opapi
