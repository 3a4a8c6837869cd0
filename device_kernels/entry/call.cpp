#include "call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report.h"
#include "type_check.h"

namespace entry {

using opapi::TensorView;

namespace {

[[noreturn]] void Abort(const char* function, const char* what, const char* name) {
    std::fprintf(stderr, "%s: the table of the interface %s %s\n", function, what, name);
    std::abort();
}

}  // namespace

Call::Call(const Table& table, const opapi::Phases& phases, bool isKernelEntry,
           std::initializer_list<Argument> arguments)
    : table_(&table),
      phases_(phases),
      isKernelEntry_(isKernelEntry),
      arguments_(arguments),
      views_(table.parameters.size()),
      lists_(table.parameters.size()) {
    if (arguments_.size() != table.parameters.size()) {
        Abort(phases.plan, "has another number of parameters than", "the call");
    }
    for (size_t place = 0; place < arguments_.size(); ++place) {
        const Parameter& parameter = table.parameters[place];
        if (arguments_[place].isReal != (parameter.kind == Kind::REAL)) {
            Abort(phases.plan, "and the function disagree on the type of", parameter.name);
        }
    }
}

size_t Call::PlaceOf(const char* name) const {
    const auto found =
        std::find_if(table_->parameters.begin(), table_->parameters.end(),
                     [name](const Parameter& one) { return std::strcmp(one.name, name) == 0; });
    if (found == table_->parameters.end()) {
        Abort(phases_.plan, "has no parameter", name);
    }
    return static_cast<size_t>(found - table_->parameters.begin());
}

Values Call::Shape(const char* name) const {
    const TensorView& view = (*this)[name];
    return {view.Dims(), view.shape.size()};
}

Values Call::List(const char* name) const {
    const std::vector<int64_t>& values = lists_[PlaceOf(name)].values;
    return {values.data(), values.size()};
}

bool Call::MayLack(const Parameter& parameter) const {
    if (parameter.beside == nullptr) {
        return parameter.need == Need::NEVER;
    }
    return arguments_[PlaceOf(parameter.beside)].tensor == nullptr;
}

aclnnStatus Call::Capture() {
    std::vector<opapi::TensorArgument> tensors;
    std::vector<opapi::TensorArgument> others;
    for (size_t place = 0; place < arguments_.size(); ++place) {
        const Parameter& parameter = table_->parameters[place];
        if (parameter.IsTensor()) {
            const bool mayLack = MayLack(parameter);
            const bool isIgnored = mayLack && parameter.need == Need::ONLY_BESIDE;
            auto& list = parameter.beside == nullptr ? tensors : others;
            list.push_back({isIgnored ? nullptr : arguments_[place].tensor, parameter.name,
                            &views_[place], mayLack});
        }
    }
    tensors.insert(tensors.end(), others.begin(), others.end());
    return opapi::Capture(Function(), tensors);
}

aclnnStatus Call::CaptureLists() {
    for (size_t place = 0; place < arguments_.size(); ++place) {
        const Argument& argument = arguments_[place];
        opapi::IntArray& captured = lists_[place];
        if (argument.isPlain) {
            captured.isPresent = argument.values != nullptr;
            captured.values.assign(argument.values,
                                   argument.values + (captured.isPresent ? argument.count : 0));
            continue;
        }
        const aclnnStatus status = opapi::CaptureIntArray(
            Function(), argument.array, table_->parameters[place].name, &captured);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Call::CheckTypes() const {
    for (size_t place = 0; place < views_.size(); ++place) {
        const Parameter& parameter = table_->parameters[place];
        const TensorView& view = views_[place];
        const char* as = parameter.types.as;
        // Without the other tensor there is no data type to compare with.
        if (!view.isPresent || (as != nullptr && !Has(as))) {
            continue;
        }
        const aclDataType ofOther = as == nullptr ? ACL_DT_UNDEFINED : Dtype(as);
        if (!parameter.types.Allow(view.dtype, ofOther)) {
            return opapi::Invalid(
                Function(), view, "data type", view.dtype, parameter.types.Rule(ofOther),
                parameter.types.source == nullptr ? table_->source : parameter.types.source);
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus Call::CheckFormats() const {
    return opapi::CheckFormats(Function(), All(), table_->source);
}

aclnnStatus Call::CheckLayouts() const { return opapi::CheckLayouts(Function(), All()); }

aclnnStatus Call::CheckDense() const { return opapi::CheckDense(Function(), Outputs()); }

aclnnStatus Call::CheckRanks(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
        const TensorView& view = (*this)[name];
        const size_t rank = table_->parameters[PlaceOf(name)].forms.at(0).axes.size();
        if (view.isPresent && view.shape.size() != rank) {
            return Invalid(name, "rank", static_cast<int64_t>(view.shape.size()),
                           std::to_string(rank));
        }
    }
    return ACLNN_SUCCESS;
}

bool Call::HasNoResult() const {
    const std::vector<const TensorView*> outputs = Outputs();
    return std::all_of(outputs.begin(), outputs.end(), [](const TensorView* output) {
        return !output->isPresent || output->IsEmpty();
    });
}

aclnnStatus Call::AskMachine() { return opapi::CurrentMachine(Function(), &machine_); }

aclnnStatus Call::Invalid(const char* name, const char* what, int64_t value,
                          const std::string& rule) const {
    if (table_->parameters[PlaceOf(name)].IsTensor()) {
        return opapi::Invalid(Function(), (*this)[name], what, value, rule, table_->source);
    }
    return opapi::Fail(ACLNN_ERR_PARAM_INVALID, std::string(Function()) + ": " + name + " is " +
                                                    std::to_string(value) + "; it must be " + rule +
                                                    " (" + table_->source + ")");
}

std::vector<const TensorView*> Call::All() const {
    std::vector<const TensorView*> found;
    for (const TensorView& view : views_) {
        found.push_back(&view);
    }
    return found;
}

std::vector<const TensorView*> Call::Outputs() const {
    std::vector<const TensorView*> found;
    for (size_t place = 0; place < views_.size(); ++place) {
        if (table_->parameters[place].kind == Kind::OUTPUT) {
            found.push_back(&views_[place]);
        }
    }
    return found;
}

}  // namespace entry
