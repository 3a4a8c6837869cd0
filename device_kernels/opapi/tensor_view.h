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
    void* data = nullptr;  // device address of the view's first element

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

/// Reads a tensor through the public getters. 161001, with a text, where it is null.
aclnnStatus Capture(const aclTensor* tensor, const char* name, const char* function,
                    TensorView* view);

}  // namespace opapi
