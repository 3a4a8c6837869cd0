#include "dense_copy.h"

#include <string>
#include <vector>

#include "report.h"

namespace opapi {

namespace {

// Calls `copy(at, offset, bytes)` for each run of elements of `view` that lie side by side: they
// begin `at` bytes into the contiguous copy and `offset` bytes from the view's first element.
template <typename Copy>
aclnnStatus ForEachRun(const TensorView& view, const char* what, Copy copy) {
    const uint64_t elementBytes = BytesOf(view.dtype);
    // The trailing axes that lie side by side make one run.
    size_t outerAxes = view.shape.size();
    int64_t runElements = 1;
    while (outerAxes > 0 &&
           (view.shape[outerAxes - 1] == 1 || view.strides[outerAxes - 1] == runElements)) {
        runElements *= view.shape[--outerAxes];
    }
    const uint64_t runBytes = static_cast<uint64_t>(runElements) * elementBytes;
    std::vector<int64_t> position(outerAxes, 0);
    for (uint64_t at = 0; at < view.Bytes(); at += runBytes) {
        int64_t offset = 0;
        for (size_t axis = 0; axis < outerAxes; ++axis) {
            offset += position[axis] * view.strides[axis];
        }
        const aclError status = copy(at, offset * static_cast<int64_t>(elementBytes), runBytes);
        if (status != ACL_SUCCESS) {
            return Fail(ACLNN_ERR_RUNTIME_ERROR, std::string(what) + view.name +
                                                     " was refused: aclrtMemcpyAsync answered " +
                                                     std::to_string(status));
        }
        for (size_t axis = outerAxes; axis-- > 0;) {
            if (++position[axis] < view.shape[axis]) {
                break;
            }
            position[axis] = 0;
        }
    }
    return ACLNN_SUCCESS;
}

}  // namespace

aclnnStatus CopyDense(const TensorView& source, void* target, aclrtStream stream) {
    const auto* from = static_cast<const uint8_t*>(source.data);
    auto* to = static_cast<uint8_t*>(target);
    return ForEachRun(source, "the contiguous copy of ",
                      [&](uint64_t at, int64_t offset, uint64_t bytes) {
                          return aclrtMemcpyAsync(to + at, bytes, from + offset, bytes,
                                                  ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
                      });
}

aclnnStatus CopyApart(const void* source, const TensorView& target, aclrtStream stream) {
    const auto* from = static_cast<const uint8_t*>(source);
    auto* to = static_cast<uint8_t*>(target.data);
    return ForEachRun(target, "the copy to the places of ",
                      [&](uint64_t at, int64_t offset, uint64_t bytes) {
                          return aclrtMemcpyAsync(to + offset, bytes, from + at, bytes,
                                                  ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
                      });
}

}  // namespace opapi
