// The table of an operator's interface: its tensors and numbers, each with its name and rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// The size of an axis: a number, or a name that has one size in a call, or the product of two.
struct Axis {
    Axis(const char* given) : name(given) {}
    Axis(int64_t given) : size(given) {}

    const char* name = nullptr;
    const char* times = nullptr;  // the second name of a product
    int64_t size = 0;
    size_t least = 1;  // axes that share the name: it has the product of their sizes
    size_t most = 1;
};

inline Axis Times(const char* one, const char* other) {
    Axis axis(one);
    axis.times = other;
    return axis;
}
/// All axes from here on, of which there are so many: the name has the product of their sizes.
inline Axis Rest(const char* name, size_t least, size_t most = std::numeric_limits<size_t>::max()) {
    Axis axis(name);
    axis.least = least;
    axis.most = most;
    return axis;
}

class Call;

/// What holds of some calls, and as what a text says it, behind "where".
struct Condition {
    bool (*holds)(const Call&) = nullptr;  // null: of all calls
    const char* text = "";
};

/// The axes of a tensor, for calls of which the condition holds.
struct Form {
    std::vector<Axis> axes;
    Condition where = {};
};

enum class Kind { INPUT, OUTPUT, NUMBER, LIST };

/// Whether a tensor may be a null pointer: never; always; if `beside` is; or if `beside` is, and
/// then it counts as null whatever the caller gives.
enum class Need { ALWAYS, NEVER, BESIDE, ONLY_BESIDE };

struct Parameter {
    Kind kind;
    const char* name;  // as in the operator's signature
    Types types = {};
    std::vector<Form> forms = {};  // none: another check looks at the shape
    Need need = Need::ALWAYS;
    const char* beside = nullptr;
    const char* source = nullptr;       // of the rule on its data type; null: that of the table
    std::optional<int64_t> least = {};  // of a number
    std::optional<int64_t> most = {};
    Condition read = {};   // of a tensor that has forms: what it takes for them to hold
    Condition asked = {};  // what it takes for null to be refused with the shapes

    Parameter Optional() const { return With(Need::NEVER, nullptr); }
    Parameter NeededBeside(const char* other) const { return With(Need::BESIDE, other); }
    Parameter OnlyBeside(const char* other) const { return With(Need::ONLY_BESIDE, other); }
    Parameter From(const char* origin) const;
    /// A number from `least` to `most`, both inclusive.
    Parameter Between(int64_t fewest, int64_t largest) const;
    /// Other axes that the tensor may have: of another rank, or where the condition holds.
    Parameter Or(std::vector<Axis> axes, Condition where = {}) const;
    /// Null is refused where the condition holds.
    Parameter Asked(Condition where) const;
    /// The same, and without it no shape of the tensor is wrong.
    Parameter Only(Condition where) const;

    bool IsTensor() const { return kind == Kind::INPUT || kind == Kind::OUTPUT; }

private:
    Parameter With(Need other, const char* tensor) const;
};

inline Parameter In(const char* name, Types types) { return {Kind::INPUT, name, std::move(types)}; }
inline Parameter In(const char* name, Types types, std::vector<Axis> shape) {
    return In(name, std::move(types)).Or(std::move(shape));
}
inline Parameter Out(const char* name, Types types) {
    return {Kind::OUTPUT, name, std::move(types)};
}
inline Parameter Out(const char* name, Types types, std::vector<Axis> shape) {
    return Out(name, std::move(types)).Or(std::move(shape));
}
inline Parameter Number(const char* name) { return {Kind::NUMBER, name}; }
/// A number that is the size of axes of that name.
inline Parameter Number(const char* name, const char* size) { return Number(name).Or({size}); }
inline Parameter List(const char* name) { return {Kind::LIST, name}; }

/// What is said of a size, or of a number, by its name.
struct SizeRule {
    const char* name;
    const char* without = nullptr;         // the tensor without which the size is 1
    int64_t (*of)(const Call&) = nullptr;  // what it must be, from sizes that tensors have,
    const char* text = "";                 // and how a text says that
    std::optional<Axis> least = {};
    std::optional<Axis> most = {};
    Condition where = {};  // of the two limits
};

inline SizeRule OneWithout(const char* name, const char* tensor) { return {name, tensor}; }
inline SizeRule Is(const char* name, int64_t (*of)(const Call&), const char* text) {
    return {name, nullptr, of, text};
}
inline SizeRule AtLeast(const char* name, Axis least, Condition where = {}) {
    return {name, nullptr, nullptr, "", least, {}, where};
}
inline SizeRule AtMost(const char* name, Axis most, Condition where = {}) {
    return {name, nullptr, nullptr, "", {}, most, where};
}

/// When numbers and shapes are looked at, and the status if one is wrong: 161002 before the work is
/// cut, 561002 where there is work, as CANN's tilings do.
enum class Stage { INTERFACE, TILING };

/// The parameters in the order in which they are checked, but those that change nothing; and the
/// source of the rules on data types, formats and shapes.
struct Table {
    const char* source;
    std::vector<Parameter> parameters;
    Stage stage = Stage::INTERFACE;
    std::vector<SizeRule> sizes = {};
};

}  // namespace entry
