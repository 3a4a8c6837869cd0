#include "dense_copy.h"

#include "report.h"

namespace opapi {

aclnnStatus CopyDense(const TensorView& source, void* target, aclrtStream stream) {
    const uint64_t elementBytes = BytesOf(source.dtype);
    // The trailing axes that lie side by side make one run.
    size_t outerAxes = source.shape.size();
    int64_t runElements = 1;
    while (outerAxes > 0 &&
           (source.shape[outerAxes - 1] == 1 || source.strides[outerAxes - 1] == runElements)) {
        runElements *= source.shape[--outerAxes];
    }
    const uint64_t runBytes = static_cast<uint64_t>(runElements) * elementBytes;
    const auto* from = static_cast<const uint8_t*>(source.data);
    auto* to = static_cast<uint8_t*>(target);
    std::vector<int64_t> position(outerAxes, 0);
    for (uint64_t copied = 0; copied < source.Bytes(); copied += runBytes) {
        int64_t offset = 0;
        for (size_t axis = 0; axis < outerAxes; ++axis) {
            offset += position[axis] * source.strides[axis];
        }
        const aclError status = aclrtMemcpyAsync(to + copied, runBytes,
                                                 from + offset * static_cast<int64_t>(elementBytes),
                                                 runBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        if (status != ACL_SUCCESS) {
            return Fail(ACLNN_ERR_RUNTIME_ERROR,
                        std::string("the contiguous copy of ") + source.name +
                            " was refused: aclrtMemcpyAsync answered " + std::to_string(status));
        }
        for (size_t axis = outerAxes; axis-- > 0;) {
            if (++position[axis] < source.shape[axis]) {
                break;
            }
            position[axis] = 0;
        }
    }
    return ACLNN_SUCCESS;
}

}  // namespace opapi
