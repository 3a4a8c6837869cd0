// The texts behind aclGetRecentErrMsg.
#pragma once

#include <string>

#include "acl/acl_base.h"

namespace ascendsim {

/// Remembers `text` for aclGetRecentErrMsg and answers `status`.
aclError Fail(aclError status, const std::string& text);

/// The failure of a null argument: names the function and the parameter.
aclError NullArgument(const char* function, const char* parameter);

/// The calling thread's newest text, "" where it has none.
std::string NewestText();

/// A pointer as 0x..., for error texts.
std::string Hex(const void* pointer);

}  // namespace ascendsim
