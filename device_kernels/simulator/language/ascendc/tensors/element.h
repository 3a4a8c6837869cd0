// tensor(index): one element of a tensor by the scalar unit.
#pragma once

#include <concepts>
#include <cstdint>

#include "../../engine/report/diagnostics.h"

namespace ascendsim {

// An element index that remembers the line it was written on: operator[] takes no second argument.
struct PlacedIndex {
    template <std::integral Integer>
    PlacedIndex(Integer index, CallSite where = CallSite::current())
        : value(static_cast<int64_t>(index)), where(where) {}
    int64_t value;
    CallSite where;
};

// An element of a tensor: reading it is GetValue, assigning to it is SetValue.
template <typename Tensor>
class ElementOf {
public:
    using Value = typename Tensor::PrimType;

    ElementOf(const Tensor& tensor, PlacedIndex index) : tensor_(tensor), index_(index) {}
    operator Value() const { return tensor_.GetValue(Index(), index_.where); }
    const ElementOf& operator=(Value value) const {
        tensor_.SetValue(Index(), value, index_.where);
        return *this;
    }
    const ElementOf& operator=(const ElementOf& other) const {
        return *this = static_cast<Value>(other);
    }
    // Read, and written back.
    const ElementOf& operator+=(Value value) const { return *this = Value(*this) + value; }
    const ElementOf& operator-=(Value value) const { return *this = Value(*this) - value; }

private:
    auto Index() const { return static_cast<typename Tensor::Index>(index_.value); }

    const Tensor tensor_;
    const PlacedIndex index_;
};

}  // namespace ascendsim
