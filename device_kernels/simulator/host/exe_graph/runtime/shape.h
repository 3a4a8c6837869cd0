// Shapes and tensors of a call, as a tiling function sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "graph/types.h"

namespace gert {

class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

    size_t GetDimNum() const { return dims_.size(); }
    // 0 for an axis that the shape lacks.
    int64_t GetDim(size_t axis) const { return axis < dims_.size() ? dims_[axis] : 0; }
    int64_t operator[](size_t axis) const { return GetDim(axis); }
    int64_t& operator[](size_t axis) { return dims_.at(axis); }
    // Number of elements; 1 for rank 0.
    int64_t GetShapeSize() const {
        int64_t elements = 1;
        for (const int64_t dim : dims_) {
            elements *= dim;
        }
        return elements;
    }
    bool IsScalar() const { return dims_.empty(); }
    void SetDimNum(size_t rank) { dims_.resize(rank); }
    void SetDim(size_t axis, int64_t size) { dims_.at(axis) = size; }
    void AppendDim(int64_t size) { dims_.push_back(size); }
    bool operator==(const Shape& other) const { return dims_ == other.dims_; }
    bool operator!=(const Shape& other) const { return dims_ != other.dims_; }

private:
    std::vector<int64_t> dims_;
};

// A linear format stores what the caller sees: both shapes are the same.
class StorageShape {
public:
    StorageShape() = default;
    explicit StorageShape(Shape shape) : shape_(std::move(shape)) {}

    const Shape& GetOriginShape() const { return shape_; }
    const Shape& GetStorageShape() const { return shape_; }

private:
    Shape shape_;
};

class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() = default;
    explicit CompileTimeTensorDesc(ge::DataType type) : type_(type) {}

    ge::DataType GetDataType() const { return type_; }
    ge::Format GetStorageFormat() const { return ge::FORMAT_ND; }
    ge::Format GetOriginFormat() const { return ge::FORMAT_ND; }

private:
    ge::DataType type_ = ge::DT_UNDEFINED;
};

// Shape and type; a tiling function that asked for elements would have to wait for the device.
class Tensor {
public:
    Tensor() = default;
    Tensor(Shape shape, ge::DataType type) : shape_(std::move(shape)), type_(type) {}

    ge::DataType GetDataType() const { return type_; }
    const StorageShape& GetShape() const { return shape_; }
    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }

private:
    StorageShape shape_;
    ge::DataType type_ = ge::DT_UNDEFINED;
};

}  // namespace gert
