// What a function of tensors and arrays answers to a null argument.
#pragma once

#include <string>

#include "aclnn/acl_meta.h"
#include "ascendsim.h"

/// Reports which argument it is. Not that of errors.h, which lies in the other library.
inline aclnnStatus NullMetaArgument(const char* function, const char* parameter) {
    const std::string text = std::string(function) + ": " + parameter + " is null; it must not be";
    ascendsimReportError(text.c_str());
    return ACLNN_ERR_PARAM_NULLPTR;
}
