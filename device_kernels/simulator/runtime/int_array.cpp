// The arrays of integers that aclnn operators take as attributes.
// Interface: CANN operator library reference, common interfaces (aclCreateIntArray).

#include <new>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ascendsim.h"

struct aclIntArray {
    std::vector<int64_t> values;
};

namespace {

aclnnStatus NullArgument(const char* function, const char* parameter) {
    const std::string text = std::string(function) + ": " + parameter + " is null; it must not be";
    ascendsimReportError(text.c_str());
    return ACLNN_ERR_PARAM_NULLPTR;
}

}  // namespace

extern "C" {

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    if (value == nullptr && size != 0) {
        const std::string text =
            "aclCreateIntArray: value is null with size " + std::to_string(size);
        ascendsimReportError(text.c_str());
        return nullptr;
    }
    auto* array = new (std::nothrow) aclIntArray;
    if (array != nullptr && size != 0) {
        array->values.assign(value, value + size);
    }
    return array;
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    delete array;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    if (array == nullptr) {
        return NullArgument("aclGetIntArraySize", "array");
    }
    if (size == nullptr) {
        return NullArgument("aclGetIntArraySize", "size");
    }
    *size = array->values.size();
    return ACLNN_SUCCESS;
}

const int64_t* ascendsimIntArrayValues(const aclIntArray* array) {
    return array == nullptr || array->values.empty() ? nullptr : array->values.data();
}
}
