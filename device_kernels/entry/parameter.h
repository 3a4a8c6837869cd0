// The table of an operator's interface: its tensors and numbers, each with its name and rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"

namespace entry {

/// The data types that a tensor may have: one of a list, or that of another tensor of the call, or
/// of the list beside bf16 in place of that.
struct Types {
    std::vector<aclDataType> listed = {};
    const char* as = nullptr;  // the other tensor's name

    bool Allow(aclDataType dtype, aclDataType ofOther) const;
    /// What a text says that the data type must be.
    std::string Rule(aclDataType ofOther) const;
};

inline const Types kFloating{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16}};
inline const Types kInt32{{ACL_INT32}};
inline const Types kInt32OrInt64{{ACL_INT32, ACL_INT64}};
inline const Types kInt8OrBool{{ACL_INT8, ACL_BOOL}};

/// The data type of another tensor, by its name.
inline Types As(const char* name) { return {{}, name}; }

/// The same, or fp32 beside bf16.
inline Types AsOrWider(const char* name) { return {{ACL_FLOAT}, name}; }

/// The size of an axis: a number, or a name that has one size in all tensors of a call.
struct Axis {
    Axis(const char* given) : name(given) {}
    Axis(int64_t given) : size(given) {}

    const char* name = nullptr;
    int64_t size = 0;
};

enum class Kind { INPUT, OUTPUT, NUMBER, LIST };

/// Whether a tensor may be a null pointer: never; always; if `beside` is; or if `beside` is, and
/// then it counts as null whatever the caller gives.
enum class Need { ALWAYS, NEVER, BESIDE, ONLY_BESIDE };

struct Parameter {
    Kind kind;
    const char* name;  // as in the operator's signature
    Types types = {};
    std::optional<std::vector<Axis>> shape = {};  // none: another check looks at it
    Need need = Need::ALWAYS;
    const char* beside = nullptr;
    const char* source = nullptr;       // of the rule on its data type; null: that of the table
    std::optional<int64_t> least = {};  // of a number
    std::optional<int64_t> most = {};

    Parameter Optional() const { return With(Need::NEVER, nullptr); }
    Parameter NeededBeside(const char* other) const { return With(Need::BESIDE, other); }
    Parameter OnlyBeside(const char* other) const { return With(Need::ONLY_BESIDE, other); }
    Parameter From(const char* origin) const;
    /// A number from `least` to `most`, both inclusive.
    Parameter Between(int64_t fewest, int64_t largest) const;

    bool IsTensor() const { return kind == Kind::INPUT || kind == Kind::OUTPUT; }

private:
    Parameter With(Need other, const char* tensor) const;
};

inline Parameter In(const char* name, Types types) { return {Kind::INPUT, name, std::move(types)}; }
inline Parameter In(const char* name, Types types, std::vector<Axis> shape) {
    return {Kind::INPUT, name, std::move(types), std::move(shape)};
}
inline Parameter Out(const char* name, Types types) {
    return {Kind::OUTPUT, name, std::move(types)};
}
inline Parameter Out(const char* name, Types types, std::vector<Axis> shape) {
    return {Kind::OUTPUT, name, std::move(types), std::move(shape)};
}
inline Parameter Number(const char* name) { return {Kind::NUMBER, name}; }
/// A number that is the size of axes of that name.
inline Parameter Number(const char* name, const char* size) {
    return {Kind::NUMBER, name, {}, std::vector<Axis>{size}};
}
inline Parameter List(const char* name) { return {Kind::LIST, name}; }

/// The parameters in the order in which they are checked, but those that change nothing; and the
/// source of the rules on data types, formats and shapes.
struct Table {
    const char* source;
    std::vector<Parameter> parameters;
};

}  // namespace entry
