// The attributes of a call, in the order of the operator's definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gert {

// A list of numbers; GetData() points to the first of GetSize().
class ContinuousVector {
public:
    ContinuousVector() = default;
    explicit ContinuousVector(std::vector<int64_t> values) : values_(std::move(values)) {}

    size_t GetSize() const { return values_.size(); }
    const void* GetData() const { return values_.data(); }

private:
    std::vector<int64_t> values_;
};

using TypedContinuousVectorOfInt64 = ContinuousVector;

class RuntimeAttrs {
public:
    void Append(int64_t value) { attributes_.push_back({value, ContinuousVector(), false, true}); }
    // A definition's Float: the interface has a double, the host code a float.
    void AppendReal(float value) {
        attributes_.push_back({0, ContinuousVector(), false, true, value, true});
    }
    void Append(std::vector<int64_t> values) {
        attributes_.push_back({0, ContinuousVector(std::move(values)), true, true});
    }
    // One that the caller left out and the definition gives no default for.
    void AppendNone() { attributes_.push_back({0, ContinuousVector(), false, false}); }

    size_t GetAttrNum() const { return attributes_.size(); }

    // Where the attribute lies: a number as an int64_t, of which a narrower type reads the low
    // bytes; a floating-point number as a float; a list as a ContinuousVector. Null for one that is
    // not there.
    template <typename Value>
    const Value* GetAttrPointer(size_t index) const {
        if (index >= attributes_.size() || !attributes_[index].present) {
            return nullptr;
        }
        const Attribute& found = attributes_[index];
        const void* place = found.isList ? static_cast<const void*>(&found.list) : &found.number;
        return static_cast<const Value*>(found.isReal ? &found.real : place);
    }

    const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const ContinuousVector* GetListInt(size_t index) const {
        return GetAttrPointer<ContinuousVector>(index);
    }

private:
    struct Attribute {
        int64_t number;
        ContinuousVector list;
        bool isList;
        bool present;
        float real = 0;
        bool isReal = false;
    };
    std::vector<Attribute> attributes_;
};

}  // namespace gert
