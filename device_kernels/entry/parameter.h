// The table of an operator's interface: its tensors and numbers, each with its name and rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
    const char* as = nullptr;      // the other tensor's name
    const char* source = nullptr;  // of the rule; null: that of the table

    bool Allow(aclDataType dtype, aclDataType ofOther) const;
    /// What a text says that the data type must be.
    std::string Rule(aclDataType ofOther) const;
};

inline const Types kFloating{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16}};
inline const Types kInt32{{ACL_INT32}};
inline const Types kInt32OrInt64{{ACL_INT32, ACL_INT64}};
inline const Types kInt8OrBool{{ACL_INT8, ACL_BOOL}};

/// The data type of another tensor, by its name.
inline Types As(const char* name, const char* source = nullptr) { return {{}, name, source}; }

/// The same, or fp32 beside bf16.
inline Types AsOrWider(const char* name, const char* source = nullptr) {
    return {{ACL_FLOAT}, name, source};
}

/// The size of an axis: a number, or a name that has one size in a call, or the product of two.
struct Axis {
    Axis(const char* given) : name(given) {}
    Axis(int64_t given) : size(given) {}
    Axis(int given) : size(given) {}  // else 0 might be a null pointer

    const char* name = nullptr;
    const char* times = nullptr;  // the second name of a product
    int64_t size = 0;
    size_t least = 1;  // axes that share the name: it has the product of their sizes
    size_t most = 1;
};

using Axes = std::vector<Axis>;

/// As many axes as a tensor has.
constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

inline Axis Times(const char* one, const char* other) {
    Axis axis(one);
    axis.times = other;
    return axis;
}
/// The axes that the others of a tensor leave, of which there are so many: the name has the product
/// of their sizes.
inline Axis Rest(const char* name, size_t least, size_t most = kAnyNumber) {
    Axis axis(name);
    axis.least = least;
    axis.most = most;
    return axis;
}

class Call;

/// What holds of some calls, and as what a text says it, behind "where".
struct Condition {
    std::function<bool(const Call&)> holds = {};  // none: of all calls
    std::string text = {};
};

/// The number is one of these.
Condition Where(const char* number, std::vector<int64_t> values);
/// The tensor is there.
Condition Given(const char* tensor);
Condition Both(const Condition& one, const Condition& other);

/// The axes of a tensor, for calls of which the condition holds.
struct Form {
    Axes axes;
    Condition where = {};
};

enum class Kind { INPUT, OUTPUT, NUMBER, REAL, LIST };

/// Whether a tensor may be a null pointer: never; always; if `beside` is, and then its shape is not
/// looked at; if `beside` is, and then it counts as null whatever the caller gives; or if `beside`
/// is, and what is given has its shape all the same.
enum class Need { ALWAYS, NEVER, BESIDE, ONLY_BESIDE, SHAPED_BESIDE };

struct Parameter {
    Kind kind;
    const char* name;  // as in the operator's signature
    Types types = {};
    std::vector<Form> forms = {};  // none: another check looks at the shape
    Need need = Need::ALWAYS;
    const char* beside = nullptr;
    std::optional<int64_t> least = {};  // of a number, or of a list's length
    std::optional<int64_t> most = {};
    std::optional<double> lowest = {};  // of a floating-point number
    std::optional<double> highest = {};
    Condition read =
        {};  // what it takes for a tensor's shape to be looked at, and null to be wrong
    const char* askedBeside = nullptr;  // the tensor beside which null is wrong, too

    Parameter Optional() const { return With(Need::NEVER, nullptr); }
    Parameter NeededBeside(const char* other) const { return With(Need::BESIDE, other); }
    Parameter OnlyBeside(const char* other) const { return With(Need::ONLY_BESIDE, other); }
    Parameter NullWithout(const char* other) const { return With(Need::SHAPED_BESIDE, other); }
    /// A number from `least` to `most`, both inclusive, or a list of so many numbers.
    Parameter Between(int64_t fewest, int64_t largest) const;
    /// A floating-point number from `low` to `high`, both inclusive: NaN is none.
    Parameter Within(double low, double high) const;
    Parameter OfLength(int64_t length) const { return Between(length, length); }
    /// A flag that may not be set.
    Parameter False() const { return Between(0, 0); }
    /// Other axes that the tensor may have: of another rank, or where the condition holds.
    Parameter Or(Axes axes, Condition where = {}) const;
    /// Null is refused where the condition holds, and else no shape of the tensor is wrong.
    Parameter Only(Condition where) const;
    /// Null is refused where the other tensor is there.
    Parameter AskedBeside(const char* tensor) const;

    bool IsTensor() const { return kind == Kind::INPUT || kind == Kind::OUTPUT; }

private:
    Parameter With(Need other, const char* tensor) const;
};

inline Parameter In(const char* name, Types types) { return {Kind::INPUT, name, std::move(types)}; }
inline Parameter In(const char* name, Types types, Axes shape) {
    return In(name, std::move(types)).Or(std::move(shape));
}
inline Parameter Out(const char* name, Types types) {
    return {Kind::OUTPUT, name, std::move(types)};
}
inline Parameter Out(const char* name, Types types, Axes shape) {
    return Out(name, std::move(types)).Or(std::move(shape));
}
/// The same, but null is no tensor.
inline Parameter InOrNull(const char* name, Types types, Axes shape) {
    return In(name, std::move(types), std::move(shape)).Optional();
}
inline Parameter OutOrNull(const char* name, Types types, Axes shape) {
    return Out(name, std::move(types), std::move(shape)).Optional();
}
inline Parameter Number(const char* name) { return {Kind::NUMBER, name}; }
/// A number that is the size of axes of that name, where the condition holds.
inline Parameter Number(const char* name, const char* size, Condition where = {}) {
    return Number(name).Or({size}, std::move(where));
}
/// A floating-point number, a double in the interface.
inline Parameter Real(const char* name) { return {Kind::REAL, name}; }
inline Parameter List(const char* name) { return {Kind::LIST, name}; }
/// A list of which the length is looked at where the condition holds.
inline Parameter List(const char* name, Condition where) {
    return List(name).Or({}, std::move(where));
}

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

/// When numbers and shapes are looked at, and the status if one is wrong: 161002 before it is known
/// whether there is work; 161002 where there is; or 561002 where there is, as CANN's tilings do.
enum class Stage { INTERFACE, WORK, TILING };

/// The parameters in the order in which they are checked, but those that change nothing; and the
/// source of the rules on data types, formats and shapes.
struct Table {
    const char* source;
    std::vector<Parameter> parameters;
    Stage stage = Stage::INTERFACE;
    std::vector<SizeRule> sizes = {};
};

}  // namespace entry
