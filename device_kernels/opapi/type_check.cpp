#include "type_check.h"

#include "report.h"

namespace opapi {

aclnnStatus Invalid(const char* function, const TensorView& tensor, const char* what, int64_t value,
                    const std::string& rule, const char* source) {
    return Fail(ACLNN_ERR_PARAM_INVALID, std::string(function) + ": the " + what + " of " +
                                             tensor.name + " is " + std::to_string(value) +
                                             "; it must be " + rule + " (" + source + ")");
}

aclnnStatus CheckFormats(const char* function, const std::vector<const TensorView*>& tensors,
                         const char* source) {
    for (const TensorView* tensor : tensors) {
        if (tensor->isPresent && !tensor->HasLinearFormat()) {
            return Invalid(function, *tensor, "format", tensor->format,
                           "2 (ND) or as linear as that", source);
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus CheckLayouts(const char* function, const std::vector<const TensorView*>& tensors) {
    for (const TensorView* tensor : tensors) {
        const aclnnStatus status =
            tensor->isPresent ? CheckLayout(function, *tensor) : ACLNN_SUCCESS;
        if (status != ACLNN_SUCCESS) {
            return status;
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus CheckDense(const char* function, const std::vector<const TensorView*>& tensors) {
    for (const TensorView* tensor : tensors) {
        if (tensor->isPresent && !tensor->IsContiguous()) {
            return Fail(ACLNN_ERR_PARAM_INVALID, std::string(function) + ": " + tensor->name +
                                                     " is strided; it must be contiguous");
        }
    }
    return ACLNN_SUCCESS;
}

bool IsFloating(aclDataType dtype) {
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16;
}

}  // namespace opapi
