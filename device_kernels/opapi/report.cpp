#include "report.h"

#include <cstdio>

extern "C" __attribute__((weak)) void ascendsimReportError(const char* text);

namespace opapi {

aclnnStatus Fail(aclnnStatus status, const std::string& text) {
    if (ascendsimReportError != nullptr) {
        ascendsimReportError(text.c_str());
    } else {
        std::fprintf(stderr, "%s (status %d)\n", text.c_str(), status);
    }
    return status;
}

aclnnStatus Launched(const char* function, int64_t cores, uint32_t answer) {
    if (answer == 0) {
        return ACLNN_SUCCESS;
    }
    return Fail(ACLNN_ERR_RUNTIME_ERROR, std::string(function) + ": the kernel's launch on " +
                                             std::to_string(cores) + " cores answered " +
                                             std::to_string(answer));
}

}  // namespace opapi
