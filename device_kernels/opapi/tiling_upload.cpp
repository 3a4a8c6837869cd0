#include "tiling_upload.h"

#include <mutex>
#include <set>
#include <string>

#include "report.h"

namespace opapi {

namespace {

// Leaked on purpose: callers may still launch from static destructors.
const std::string& Kept(const void* tiling, uint64_t bytes) {
    static auto* mutex = new std::mutex;
    static auto* tilings = new std::set<std::string>;
    const std::lock_guard<std::mutex> lock(*mutex);
    return *tilings->emplace(static_cast<const char*>(tiling), bytes).first;
}

}  // namespace

aclnnStatus UploadTiling(const void* tiling, uint64_t bytes, void* target, aclrtStream stream) {
    const std::string& kept = Kept(tiling, bytes);
    const aclError status =
        aclrtMemcpyAsync(target, bytes, kept.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    if (status != ACL_SUCCESS) {
        return Fail(ACLNN_ERR_RUNTIME_ERROR,
                    "the tiling cannot be copied to the workspace: aclrtMemcpyAsync answered " +
                        std::to_string(status));
    }
    return ACLNN_SUCCESS;
}

}  // namespace opapi
