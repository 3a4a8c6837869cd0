#include "tensor_view.h"

#include <memory>

#include "report.h"

namespace opapi {

namespace {

using Getter = aclnnStatus (*)(const aclTensor*, int64_t**, uint64_t*);

// The getters hand out an array of their own making, released with delete[].
aclnnStatus ReadArray(Getter getter, const aclTensor* tensor, std::vector<int64_t>* values) {
    int64_t* array = nullptr;
    uint64_t count = 0;
    const aclnnStatus status = getter(tensor, &array, &count);
    const std::unique_ptr<int64_t[]> owner(array);
    if (status == ACLNN_SUCCESS) {
        values->assign(array, array + count);
    }
    return status;
}

}  // namespace

uint64_t BytesOf(aclDataType dtype) {
    switch (dtype) {
        case ACL_FLOAT:
        case ACL_INT32:
            return 4;
        case ACL_FLOAT16:
        case ACL_BF16:
            return 2;
        default:
            return 0;
    }
}

uint64_t TensorView::Elements() const {
    uint64_t elements = 1;
    for (const int64_t size : shape) {
        elements *= static_cast<uint64_t>(size);
    }
    return elements;
}

uint64_t TensorView::Bytes() const { return Elements() * BytesOf(dtype); }

bool TensorView::IsContiguous() const {
    int64_t expected = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != expected) {
            return Elements() == 0;
        }
        expected *= shape[axis];
    }
    return true;
}

bool TensorView::HasLinearFormat() const {
    switch (format) {
        case ACL_FORMAT_ND:
        case ACL_FORMAT_NCHW:
        case ACL_FORMAT_NHWC:
        case ACL_FORMAT_NCDHW:
        case ACL_FORMAT_NDHWC:
        case ACL_FORMAT_NCL:
            return true;
        default:
            return false;
    }
}

aclnnStatus Capture(const aclTensor* tensor, const char* name, const char* function,
                    TensorView* view) {
    if (tensor == nullptr) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR,
                    std::string(function) + ": " + name + " is null; it must be a tensor");
    }
    view->name = name;
    int64_t offset = 0;
    void* address = nullptr;
    for (const aclnnStatus status :
         {ReadArray(aclGetViewShape, tensor, &view->shape),
          ReadArray(aclGetViewStrides, tensor, &view->strides), aclGetViewOffset(tensor, &offset),
          aclGetDataType(tensor, &view->dtype), aclGetFormat(tensor, &view->format),
          aclGetRawTensorAddr(tensor, &address)}) {
        if (status != ACLNN_SUCCESS) {
            return Fail(status, std::string(function) + ": " + name + " cannot be read");
        }
    }
    // An element type that no operator takes has no known size: its address is never used.
    view->data =
        static_cast<uint8_t*>(address) + offset * static_cast<int64_t>(BytesOf(view->dtype));
    return ACLNN_SUCCESS;
}

}  // namespace opapi
