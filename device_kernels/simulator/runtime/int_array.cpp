// The arrays of integers that aclnn operators take as attributes.
// Interface: CANN operator library reference, common interfaces (aclCreateIntArray).

#include <new>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ascendsim.h"
#include "null_argument.h"

struct aclIntArray {
    std::vector<int64_t> values;
};

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
        return NullMetaArgument("aclGetIntArraySize", "array");
    }
    if (size == nullptr) {
        return NullMetaArgument("aclGetIntArraySize", "size");
    }
    *size = array->values.size();
    return ACLNN_SUCCESS;
}

const int64_t* ascendsimIntArrayValues(const aclIntArray* array) {
    return array == nullptr || array->values.empty() ? nullptr : array->values.data();
}
}
