// The tensor objects that aclnn operators take. They describe device memory and own none.
// Interface: CANN operator library reference, common interfaces (aclCreateTensor and its getters).

#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ascendsim.h"
#include "null_argument.h"

struct aclTensor {
    std::vector<int64_t> viewShape;
    std::vector<int64_t> viewStrides;  // elements
    int64_t viewOffset = 0;            // elements
    std::vector<int64_t> storageShape;
    aclDataType dataType = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    void* address = nullptr;
};

namespace {

std::vector<int64_t> Copied(const int64_t* values, uint64_t count) {
    return values == nullptr ? std::vector<int64_t>{}
                             : std::vector<int64_t>(values, values + count);
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    return strides;
}

// The rule that these values break, empty where they break none.
std::string BrokenRule(const char* name, const int64_t* values, uint64_t count, bool required) {
    if (values == nullptr) {
        const bool missing = required && count != 0;
        return missing ? std::string(name) + " is null with " + std::to_string(count) + " dims"
                       : "";
    }
    for (uint64_t axis = 0; axis < count; ++axis) {
        if (values[axis] < 0) {
            return std::string(name) + "[" + std::to_string(axis) + "] is " +
                   std::to_string(values[axis]) + "; it must not be negative";
        }
    }
    return "";
}

aclnnStatus HandOut(const char* function, const char* valuesName, const char* countName,
                    const std::vector<int64_t>* source, int64_t** values, uint64_t* count) {
    if (source == nullptr) {
        return NullMetaArgument(function, "tensor");
    }
    if (values == nullptr) {
        return NullMetaArgument(function, valuesName);
    }
    if (count == nullptr) {
        return NullMetaArgument(function, countName);
    }
    // The caller releases it with delete[], as the interface says.
    int64_t* copy = new (std::nothrow) int64_t[source->size()];
    if (copy == nullptr) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (!source->empty()) {
        std::memcpy(copy, source->data(), source->size() * sizeof(int64_t));
    }
    *values = copy;
    *count = source->size();
    return ACLNN_SUCCESS;
}

template <typename Value>
aclnnStatus HandOut(const char* function, const char* name, const aclTensor* tensor,
                    const Value aclTensor::* member, Value* value) {
    if (tensor == nullptr) {
        return NullMetaArgument(function, "tensor");
    }
    if (value == nullptr) {
        return NullMetaArgument(function, name);
    }
    *value = tensor->*member;
    return ACLNN_SUCCESS;
}

}  // namespace

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
    std::string broken = BrokenRule("viewDims", viewDims, viewDimsNum, /*required=*/true);
    if (broken.empty()) {
        broken = BrokenRule("stride", stride, viewDimsNum, /*required=*/false);
    }
    if (broken.empty()) {
        broken = BrokenRule("storageDims", storageDims, storageDimsNum, /*required=*/true);
    }
    if (broken.empty() && offset < 0) {
        broken = "offset is " + std::to_string(offset) + "; it must not be negative";
    }
    if (!broken.empty()) {
        ascendsimReportError(("aclCreateTensor: " + broken).c_str());
        return nullptr;
    }
    auto* tensor = new (std::nothrow) aclTensor;
    if (tensor == nullptr) {
        return nullptr;
    }
    tensor->viewShape = Copied(viewDims, viewDimsNum);
    tensor->viewStrides =
        stride == nullptr ? ContiguousStrides(tensor->viewShape) : Copied(stride, viewDimsNum);
    tensor->viewOffset = offset;
    tensor->storageShape = Copied(storageDims, storageDimsNum);
    tensor->dataType = dataType;
    tensor->format = format;
    tensor->address = tensorData;
    return tensor;
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    delete tensor;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    return HandOut("aclGetViewShape", "viewDims", "viewDimsNum",
                   tensor == nullptr ? nullptr : &tensor->viewShape, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
    return HandOut("aclGetStorageShape", "storageDims", "storageDimsNum",
                   tensor == nullptr ? nullptr : &tensor->storageShape, storageDims,
                   storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
    return HandOut("aclGetViewStrides", "stridesValue", "stridesNum",
                   tensor == nullptr ? nullptr : &tensor->viewStrides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return HandOut("aclGetViewOffset", "offset", tensor, &aclTensor::viewOffset, offset);
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    return HandOut("aclGetDataType", "dataType", tensor, &aclTensor::dataType, dataType);
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    return HandOut("aclGetFormat", "format", tensor, &aclTensor::format, format);
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    return HandOut("aclGetRawTensorAddr", "addr", tensor, &aclTensor::address, addr);
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    if (tensor == nullptr) {
        return NullMetaArgument("aclSetRawTensorAddr", "tensor");
    }
    tensor->address = addr;
    return ACLNN_SUCCESS;
}
}
