// A shape as the tilings of library functions take it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ge {

class Shape {
public:
    Shape() = default;
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t axis) const { return axis < dims_.size() ? dims_[axis] : 0; }
    std::vector<int64_t> GetDims() const { return dims_; }
    void SetDim(size_t axis, int64_t dim) { dims_.at(axis) = dim; }
    int64_t GetShapeSize() const {
        int64_t size = 1;
        for (const int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }

    // Of the last axis, and how often.
    int64_t Columns() const { return dims_.empty() ? 1 : dims_.back(); }
    int64_t Rows() const { return Columns() == 0 ? 0 : GetShapeSize() / Columns(); }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge
