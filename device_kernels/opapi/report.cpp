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

}  // namespace opapi
