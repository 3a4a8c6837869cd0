#include "tensor_view.h"

#include <algorithm>
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

aclnnStatus Read(const aclTensor* tensor, TensorView* view, void** address) {
    for (const aclnnStatus status :
         {ReadArray(aclGetViewShape, tensor, &view->shape),
          ReadArray(aclGetViewStrides, tensor, &view->strides),
          aclGetViewOffset(tensor, &view->offset), aclGetDataType(tensor, &view->dtype),
          aclGetFormat(tensor, &view->format), aclGetRawTensorAddr(tensor, address)}) {
        if (status != ACLNN_SUCCESS) {
            return status;
        }
    }
    // Unsigned, as CheckLayout judges the offset only later.
    view->data =
        reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(*address) +
                                static_cast<uint64_t>(view->offset) * BytesOf(view->dtype));
    return ACLNN_SUCCESS;
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
        case ACL_INT64:
            return 8;
        case ACL_INT8:
        case ACL_BOOL:
            return 1;
        default:
            return 0;
    }
}

bool TensorView::IsEmpty() const {
    return std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size == 0; });
}

const int64_t* TensorView::Dims() const {
    static constexpr int64_t kNone = 0;  // an empty vector may have no address
    if (!isPresent) {
        return nullptr;
    }
    return shape.empty() ? &kNone : shape.data();
}

uint64_t TensorView::Elements() const {
    if (IsEmpty()) {
        return 0;
    }
    uint64_t elements = 1;
    for (const int64_t size : shape) {
        elements *= static_cast<uint64_t>(size);
    }
    return elements;
}

uint64_t TensorView::Bytes() const { return Elements() * BytesOf(dtype); }

bool TensorView::IsContiguous() const {
    if (IsEmpty()) {
        return true;
    }
    int64_t expected = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != expected) {
            return false;
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

aclnnStatus Capture(const char* function, const std::vector<TensorArgument>& arguments) {
    const auto isNull = [function](const char* name, const char* what, const char* rule) {
        return Fail(ACLNN_ERR_PARAM_NULLPTR,
                    std::string(function) + ": " + what + name + " is null; it must be " + rule);
    };
    for (const auto& [tensor, name, view, isOptional] : arguments) {
        if (tensor == nullptr && !isOptional) {
            return isNull(name, "", "a tensor");
        }
    }
    for (const auto& [tensor, name, view, isOptional] : arguments) {
        if (tensor == nullptr) {
            continue;
        }
        void* address = nullptr;
        const aclnnStatus status = Read(tensor, view, &address);
        if (status != ACLNN_SUCCESS) {
            return Fail(status, std::string(function) + ": " + name + " cannot be read");
        }
        view->name = name;
        view->isPresent = true;
        if (address == nullptr && !view->IsEmpty()) {
            return isNull(name, "the data address of ", "device memory, as it has elements");
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus CheckLayout(const char* function, const TensorView& view) {
    const auto invalid = [&](const std::string& what) {
        return Fail(ACLNN_ERR_PARAM_INVALID, std::string(function) + ": " + view.name + what);
    };
    for (const int64_t size : view.shape) {
        if (size < 0) {
            return invalid(" has an axis of size " + std::to_string(size) +
                           "; it must not be negative");
        }
    }
    if (view.offset < 0) {
        return invalid(" has the offset " + std::to_string(view.offset) +
                       "; it must not be negative");
    }
    if (view.IsEmpty()) {
        return ACLNN_SUCCESS;
    }
    // An element type that no operator takes has no known size; it is refused by its own rule.
    const auto bytes = static_cast<int64_t>(std::max<uint64_t>(BytesOf(view.dtype), 1));
    int64_t elements = 1;
    int64_t first = view.offset;
    int64_t last = view.offset;
    bool tooLarge = false;
    for (size_t axis = 0; axis < view.shape.size(); ++axis) {
        int64_t reach = 0;
        tooLarge = tooLarge || __builtin_mul_overflow(elements, view.shape[axis], &elements) ||
                   __builtin_mul_overflow(view.shape[axis] - 1, view.strides[axis], &reach) ||
                   __builtin_add_overflow(std::min<int64_t>(reach, 0), first, &first) ||
                   __builtin_add_overflow(std::max<int64_t>(reach, 0), last, &last);
    }
    int64_t scaled = 0;
    for (const int64_t count : {elements, first, last}) {
        tooLarge = tooLarge || __builtin_mul_overflow(count, bytes, &scaled);
    }
    return tooLarge
               ? invalid(" is too large: its bytes, with strides and offset, must be below 2^63")
               : ACLNN_SUCCESS;
}

}  // namespace opapi
