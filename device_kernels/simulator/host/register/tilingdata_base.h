// The macros by which an operator declares its tiling struct, for the host: a struct of the layout
// that the kernel reads (language/tiling_data.h), with the way into the call's bytes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exe_graph/runtime/tiling_context.h"

namespace ascendsim {

// Too little room leaves the bytes as they are, as the device would then not be told.
template <typename Fields>
struct TilingStruct : Fields {
    size_t GetDataSize() const { return sizeof(Fields); }
    void SaveToBuffer(void* buffer, size_t capacity) const {
        if (capacity >= sizeof(Fields)) {
            std::memcpy(buffer, static_cast<const Fields*>(this), sizeof(Fields));
        }
    }
};

}  // namespace ascendsim

#define BEGIN_TILING_DATA_DEF(Name)                       \
    struct Name##Fields;                                  \
    using Name = ::ascendsim::TilingStruct<Name##Fields>; \
    struct Name##Fields {
#define END_TILING_DATA_DEF \
    }                       \
    ;
#define TILING_DATA_FIELD_DEF(type, name)    \
    type name = {};                          \
    type get_##name() const { return name; } \
    void set_##name(type value) { name = value; }
#define TILING_DATA_FIELD_DEF_ARR(type, count, name) \
    type name[count] = {};                           \
    const type* get_##name() const { return name; }  \
    type* get_##name() { return name; }              \
    void set_##name(const type* values) { std::memcpy(name, values, sizeof(type) * (count)); }
#define TILING_DATA_FIELD_DEF_STRUCT(Type, name) Type name = {};
#define REGISTER_TILING_DATA_CLASS(Operator, Name)
