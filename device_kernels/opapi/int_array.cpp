#include "int_array.h"

#include <string>

#include "report.h"

extern "C" __attribute__((weak)) const int64_t* ascendsimIntArrayValues(const aclIntArray* array);

namespace opapi {

aclnnStatus CaptureIntArray(const char* function, const aclIntArray* array, const char* name,
                            IntArray* captured) {
    if (array == nullptr) {
        return ACLNN_SUCCESS;
    }
    uint64_t size = 0;
    const aclnnStatus status = aclGetIntArraySize(array, &size);
    if (status != ACLNN_SUCCESS || ascendsimIntArrayValues == nullptr) {
        return Fail(ACLNN_ERR_RUNTIME_ERROR, std::string(function) + ": the values of " + name +
                                                 " cannot be read: CANN tells their number only");
    }
    const int64_t* values = ascendsimIntArrayValues(array);
    captured->isPresent = true;
    captured->values.assign(values, values + size);
    return ACLNN_SUCCESS;
}

}  // namespace opapi
