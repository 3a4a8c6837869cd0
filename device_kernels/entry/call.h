// A call in phase 1: its arguments under the names of the table, and the checks that all operators
// make.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "int_array.h"
#include "machine.h"
#include "parameter.h"
#include "plan.h"
#include "tensor_view.h"

namespace entry {

/// What is given for one parameter of the table. An array of integers is that of aclnn, or, in the
/// kernel's entry, a pointer (null: none) and a count.
struct Argument {
    Argument(const aclTensor* given) : tensor(given) {}
    Argument(int64_t given) : number(given) {}
    // A template, so that a bool or an int is no floating-point number.
    template <typename Given, std::enable_if_t<std::is_floating_point_v<Given>, int> = 0>
    Argument(Given given) : real(given), isReal(true) {}
    Argument(const aclIntArray* given) : array(given) {}
    Argument(const int64_t* given, uint64_t size) : values(given), count(size), isPlain(true) {}

    const aclTensor* tensor = nullptr;
    int64_t number = 0;
    double real = 0;
    bool isReal = false;
    const aclIntArray* array = nullptr;
    const int64_t* values = nullptr;
    uint64_t count = 0;
    bool isPlain = false;
};

/// Numbers in the form in which a host tiling takes a shape or a list: a pointer and a count.
struct Values {
    const int64_t* values;
    uint64_t count;

    template <typename Other>
    operator Other() const {
        return Other{values, count};
    }
};

class Call {
public:
    /// `isKernelEntry`: of the kernel's entry, not of aclnn's.
    Call(const Table& table, const opapi::Phases& phases, bool isKernelEntry,
         std::initializer_list<Argument> arguments);

    const opapi::Phases& phases() const { return phases_; }
    /// The name of phase 1, as texts begin with it.
    const char* Function() const { return phases_.plan; }
    bool IsKernelEntry() const { return isKernelEntry_; }
    const Table& table() const { return *table_; }

    /// The tensor of that name; one that is not there has no shape.
    opapi::TensorView& operator[](const char* name) { return views_[PlaceOf(name)]; }
    const opapi::TensorView& operator[](const char* name) const { return views_[PlaceOf(name)]; }
    bool Has(const char* name) const { return (*this)[name].isPresent; }
    /// Null only if the tensor is absent, not for rank 0.
    Values Shape(const char* name) const;
    /// ACL_DT_UNDEFINED, -1, of a tensor that is not there.
    aclDataType Dtype(const char* name) const { return (*this)[name].dtype; }
    /// What CheckShapes found for a name of the table; 0 if nothing that is there has it.
    int64_t Size(const char* name) const;
    int64_t Number(const char* name) const { return arguments_[PlaceOf(name)].number; }
    double Real(const char* name) const { return arguments_[PlaceOf(name)].real; }
    /// None and null for an array that is absent.
    Values List(const char* name) const;
    bool HasList(const char* name) const { return lists_[PlaceOf(name)].isPresent; }
    /// The tensor of a place in the table; empty for a number.
    opapi::TensorView& At(size_t place) { return views_[place]; }

    /// The machine that the call is cut for.
    const opapi::Machine& machine() const { return machine_; }

    /// 161001 for the first tensor that is needed and null, or has elements and no address; those
    /// that are needed beside another come last.
    aclnnStatus Capture();
    /// 361001 where the numbers of an array cannot be told.
    aclnnStatus CaptureLists();
    /// 161002 for the first tensor whose data type the table does not allow.
    aclnnStatus CheckTypes() const;
    /// 161002 for the first tensor whose format is no linear one.
    aclnnStatus CheckFormats() const;
    /// 161002 for the first tensor whose layout is impossible.
    aclnnStatus CheckLayouts() const;
    /// 161002 for the first of these that is there and has another rank than its first form in the
    /// table, for an entry that looks at ranks before the table's stage.
    aclnnStatus CheckRanks(std::initializer_list<const char*> names) const;
    /// At the table's stage its status for the first broken rule: numbers beyond their limits, then
    /// tensors that lack, then ranks, then limits of sizes, then sizes of axes. A name has the size
    /// of the first number that has it, or else tensor, of which optional ones come last.
    aclnnStatus CheckShapes(Stage stage);
    /// 161002 for the first output that does not lie in C order without gaps.
    aclnnStatus CheckDense() const;
    /// Whether no output that is there has an element.
    bool HasNoResult() const;
    /// 361001 where the runtime does not say what machine it is.
    aclnnStatus AskMachine();

    /// 161002 with a text that names function, parameter, value, rule and the table's source. Of a
    /// tensor, `what` is what of it has that value, such as "rank"; of a number it is not read.
    aclnnStatus Invalid(const char* name, const char* what, int64_t value,
                        const std::string& rule) const;

private:
    /// A size of that name, and what has it.
    struct Known {
        int64_t size;
        std::string origin;
        std::string without = "";  // why it is 1, if it is so without some tensor
    };

    // What CheckShapes says, "" if nothing is wrong.
    std::string WrongNumber();
    std::string WrongReal(const Parameter& parameter) const;
    std::string Missing();
    std::string WrongRank();
    std::string WrongLimit();
    std::string WrongSize();

    void Know(const char* name, int64_t size, const std::string& origin);
    void KnowSizes();
    /// Of the axes of a tensor, or of those of that name alone.
    void KnowSizesOf(size_t place, const char* only);
    bool IsRead(const Parameter& parameter) const;
    /// Whether something has the names; else any size is right.
    bool Knows(const Axis& axis) const;
    std::string Rule(const Axis& axis) const;
    std::optional<int64_t> Wanted(const Axis& axis) const;
    size_t PlaceOf(const char* name) const;
    bool MayLack(const Parameter& parameter) const;
    std::vector<const opapi::TensorView*> All() const;
    std::vector<const opapi::TensorView*> Outputs() const;

    const Table* table_;
    opapi::Phases phases_;
    bool isKernelEntry_;
    std::vector<Argument> arguments_;
    std::vector<opapi::TensorView> views_;  // one for each parameter of the table
    std::vector<opapi::IntArray> lists_;    // likewise
    std::vector<const Form*> forms_;        // likewise: null for one that has no wrong shape
    std::map<std::string, Known> sizes_;
    opapi::Machine machine_;
};

}  // namespace entry
