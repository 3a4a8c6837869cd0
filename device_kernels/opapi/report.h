// Statuses with a sentence each, for aclGetRecentErrMsg.
#pragma once

#include <string>

#include "aclnn/aclnn_base.h"

namespace opapi {

/// Leaves `text` where the user looks for it and answers `status`. The simulator takes it for
/// aclGetRecentErrMsg; CANN has no public way to set that text, so there it goes to stderr.
aclnnStatus Fail(aclnnStatus status, const std::string& text);

}  // namespace opapi
