// Data types, formats and shapes as texts of messages have them.
#pragma once

#include <string>

#include "exe_graph/runtime/shape.h"
#include "graph/utils/type_utils.h"

namespace Ops::Base {

inline std::string ToString(ge::DataType type) {
    return ge::TypeUtils::DataTypeToSerialString(type);
}

inline std::string ToString(ge::Format format) {
    return ge::TypeUtils::FormatToSerialString(format);
}

inline std::string ToString(const gert::Shape& shape) {
    std::string text;
    for (size_t axis = 0; axis < shape.GetDimNum(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape.GetDim(axis));
    }
    return "[" + text + "]";
}

inline std::string ToString(const gert::StorageShape& shape) {
    return ToString(shape.GetStorageShape());
}

}  // namespace Ops::Base
