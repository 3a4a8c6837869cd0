// A tensor argument, captured by value: phase 2 runs after the caller may have destroyed it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"

namespace opapi {

struct TensorView {
    const char* name = "";  // the parameter's, as in the operator's signature
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;  // elements
    aclDataType dtype = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    int64_t offset = 0;      // elements from the tensor's address to the view's first
    void* data = nullptr;    // device address of the view's first element
    bool isPresent = false;  // false: an optional tensor that the caller left out

    /// Whether it has no element: an axis of size 0, whatever the sizes of the others.
    bool IsEmpty() const;
    /// The sizes, for a host tiling; null only if the tensor is absent, not for rank 0.
    const int64_t* Dims() const;
    /// Number of elements; 1 for rank 0.
    uint64_t Elements() const;
    /// Bytes of the elements, without any gaps that the strides leave.
    uint64_t Bytes() const;
    /// Whether the elements lie in C order without gaps; strides of axes of size 1 do not matter.
    bool IsContiguous() const;
    /// Whether the format stores elements where shape and strides say.
    bool HasLinearFormat() const;
};

/// Bytes of one element; 0 for a dtype that no operator here takes.
uint64_t BytesOf(aclDataType dtype);

/// A tensor of the call under its name in the operator's signature, and where to put what it says.
struct TensorArgument {
    const aclTensor* tensor;
    const char* name;
    TensorView* view;
    bool isOptional = false;
};

/// Reads the tensors of a call through the public getters. 161001, with a text for the first in
/// question, where a required one is null, or else where one has elements and no device address.
aclnnStatus Capture(const char* function, const std::vector<TensorArgument>& arguments);

/// 161002, with a text, where a size, a stride or the offset is impossible: negative, or so large
/// that the number of elements or the bytes to the last one do not fit 63 bits. Everything that
/// computes with a view relies on it.
aclnnStatus CheckLayout(const char* function, const TensorView& view);

}  // namespace opapi
