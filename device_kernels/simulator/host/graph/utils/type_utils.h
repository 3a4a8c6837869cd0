// Names of data types and formats, for texts.
#pragma once

#include <string>
#include <utility>

#include "graph/types.h"

namespace ge {

class AscendString {
public:
    AscendString() = default;
    explicit AscendString(std::string text) : text_(std::move(text)) {}

    const char* GetString() const { return text_.c_str(); }

private:
    std::string text_;
};

class TypeUtils {
public:
    static std::string DataTypeToSerialString(DataType type) {
        switch (type) {
            case DT_FLOAT:
                return "DT_FLOAT";
            case DT_FLOAT16:
                return "DT_FLOAT16";
            case DT_BF16:
                return "DT_BF16";
            case DT_INT8:
                return "DT_INT8";
            case DT_INT32:
                return "DT_INT32";
            case DT_INT64:
                return "DT_INT64";
            case DT_BOOL:
                return "DT_BOOL";
            default:
                return "DT_" + std::to_string(static_cast<int>(type));
        }
    }

    static std::string FormatToSerialString(Format) { return "ND"; }
    static AscendString DataTypeToAscendString(DataType type) {
        return AscendString(DataTypeToSerialString(type));
    }
    static AscendString FormatToAscendString(Format) { return AscendString("ND"); }
};

}  // namespace ge
