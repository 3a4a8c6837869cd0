// Streams: tasks run at submission, so a stream holds nothing but the failure nobody asked for yet.
#pragma once

#include <string>

#include "acl/acl_base.h"

namespace ascendsim {

/// Makes the next synchronize of `stream` (null: the default stream) answer `status` with `text`.
/// The first failure stays: what follows it on a stream is its consequence.
void FailStream(aclrtStream stream, aclError status, const std::string& text);

/// 0 where the calling thread has a device and `stream` is null (the default stream) or alive;
/// else 107002 or 107003 with a text that names `function`.
aclError NeedStream(const char* function, aclrtStream stream);

}  // namespace ascendsim
