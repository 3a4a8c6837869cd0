// The macros by which an operator's host code declares its tiling struct, as plain structs.
//
// In the operator build the struct of the kernel is generated from these declarations. Here they
// are the struct: a header that declares a tiling serves the host's tiling function, which sets the
// fields, and the kernel, which reads them through GET_TILING_DATA.
#pragma once

#include <cstdint>
#include <cstring>

#define BEGIN_TILING_DATA_DEF(Name) struct Name {
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

// Which operator a struct belongs to is what the build names by ASCENDSIM_TILING_DATA.
#define REGISTER_TILING_DATA_CLASS(Operator, Name)
