// A call's numbers and shapes beside the rules of its table.
#include <algorithm>
#include <limits>

#include "call.h"
#include "report.h"

namespace entry {

namespace {

using Reason = std::string;  // empty: nothing is wrong

Reason Broken(const std::string& what, const std::string& value, const std::string& rule) {
    return what + " is " + value + "; it must be " + rule;
}

Reason Broken(const std::string& what, int64_t value, const std::string& rule) {
    return Broken(what, std::to_string(value), rule);
}

bool Holds(const Condition& where, const Call& call) {
    return where.holds == nullptr || where.holds(call);
}

std::string Where(const Condition& where) {
    return where.holds == nullptr ? "" : std::string(" where ") + where.text;
}

std::string Text(const std::vector<int64_t>& shape) {
    std::string text = "[";
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    }
    return text + "]";
}

// Of the axes from `first` on; the largest number if the product is more.
int64_t Product(const std::vector<int64_t>& shape, size_t first) {
    int64_t product = 1;
    if (std::count(shape.begin() + static_cast<int64_t>(first), shape.end(), 0) > 0) {
        return 0;
    }
    for (size_t axis = first; axis < shape.size(); ++axis) {
        if (__builtin_mul_overflow(product, shape[axis], &product)) {
            return std::numeric_limits<int64_t>::max();
        }
    }
    return product;
}

bool IsRest(const Axis& axis) { return axis.least != 1 || axis.most != 1; }

int64_t SizeOf(const std::vector<int64_t>& shape, size_t at, const Axis& axis) {
    return IsRest(axis) ? Product(shape, at) : shape[at];
}

std::string NameOf(const char* tensor, const std::vector<int64_t>& shape, size_t at,
                   const Axis& axis) {
    if (!IsRest(axis) || at + 1 == shape.size()) {
        return "dim " + std::to_string(at) + " of " + tensor;
    }
    return "the product of " + std::to_string(shape.size() - at) + " last dims of " + tensor + " " +
           Text(shape);
}

// The fewest and the most axes.
std::pair<size_t, size_t> Ranks(const Form& form) {
    const size_t axes = form.axes.size();
    if (axes == 0 || !IsRest(form.axes.back())) {
        return {axes, axes};
    }
    const auto& [least, most] = std::pair(form.axes.back().least, form.axes.back().most);
    return {axes - 1 + least, most > most + axes - 1 ? most : most + axes - 1};
}

bool Fits(const Form& form, size_t rank) {
    const auto [least, most] = Ranks(form);
    return least <= rank && rank <= most;
}

std::string RankRule(const Form& form) {
    const auto [least, most] = Ranks(form);
    if (most == std::numeric_limits<size_t>::max()) {
        return std::to_string(least) + " or greater";
    }
    return std::to_string(least) + (least == most ? "" : " or " + std::to_string(most)) +
           Where(form.where);
}

}  // namespace

aclnnStatus Call::CheckShapes(Stage stage) {
    if (stage != table_->stage) {
        return ACLNN_SUCCESS;
    }
    for (const auto check : {&Call::WrongNumber, &Call::Missing, &Call::WrongRank,
                             &Call::WrongLimit, &Call::WrongSize}) {
        const Reason reason = (this->*check)();
        if (!reason.empty()) {
            return opapi::Fail(
                stage == Stage::TILING ? ACLNN_ERR_INNER_TILING_ERROR : ACLNN_ERR_PARAM_INVALID,
                std::string(Function()) + ": " + reason + " (" + table_->source + ")");
        }
    }
    return ACLNN_SUCCESS;
}

int64_t Call::Size(const char* name) const {
    const auto found = sizes_.find(name);
    return found == sizes_.end() ? 0 : found->second.size;
}

void Call::Know(const char* name, int64_t size, const std::string& origin) {
    sizes_.try_emplace(name, Known{size, origin});
}

Reason Call::WrongNumber() {
    for (const Parameter& parameter : table_->parameters) {
        if (parameter.kind != Kind::NUMBER) {
            continue;
        }
        const int64_t value = Number(parameter.name);
        if (parameter.least && (value < *parameter.least || value > *parameter.most)) {
            return Broken(
                parameter.name, value,
                std::to_string(*parameter.least) + " to " + std::to_string(*parameter.most));
        }
        Know(parameter.name, value, parameter.name);
        if (!parameter.forms.empty()) {
            Know(parameter.forms[0].axes[0].name, value, parameter.name);
        }
    }
    return {};
}

Reason Call::Missing() {
    for (const Parameter& parameter : table_->parameters) {
        if (parameter.asked.holds != nullptr && !Has(parameter.name) &&
            parameter.asked.holds(*this)) {
            return Broken(parameter.name, "null", "a tensor" + Where(parameter.asked));
        }
    }
    return {};
}

bool Call::IsRead(const Parameter& parameter) const {
    return parameter.IsTensor() && !parameter.forms.empty() && Has(parameter.name) &&
           (parameter.beside == nullptr || Has(parameter.beside)) && Holds(parameter.read, *this);
}

Reason Call::WrongRank() {
    forms_.assign(views_.size(), nullptr);
    for (size_t place = 0; place < views_.size(); ++place) {
        const Parameter& parameter = table_->parameters[place];
        if (!IsRead(parameter)) {
            continue;
        }
        const std::vector<int64_t>& shape = views_[place].shape;
        const bool isSpecial =
            std::any_of(parameter.forms.begin(), parameter.forms.end(), [this](const Form& form) {
                return form.where.holds != nullptr && form.where.holds(*this);
            });
        Reason rule;
        for (const Form& form : parameter.forms) {
            if ((form.where.holds != nullptr) != isSpecial || !Holds(form.where, *this)) {
                continue;
            }
            rule += (rule.empty() ? "" : " or ") + RankRule(form);
            if (forms_[place] == nullptr && Fits(form, shape.size())) {
                forms_[place] = &form;
            }
        }
        if (forms_[place] == nullptr) {
            return Broken(std::string("the rank of ") + parameter.name + " " + Text(shape),
                          static_cast<int64_t>(shape.size()), rule);
        }
    }
    KnowSizes();
    return {};
}

void Call::KnowSizes() {
    for (const SizeRule& size : table_->sizes) {
        if (size.without != nullptr && !Has(size.without)) {
            const std::string without = std::string(" without ") + size.without;
            sizes_.try_emplace(size.name, Known{1, "1" + without, without});
        }
    }
    const auto isComputed = [this](const Axis& axis) {
        return std::any_of(table_->sizes.begin(), table_->sizes.end(), [&](const SizeRule& one) {
            return one.of != nullptr && std::string(one.name) == axis.name;
        });
    };
    for (size_t place = 0; place < views_.size(); ++place) {
        const size_t axes = forms_[place] == nullptr ? 0 : forms_[place]->axes.size();
        for (size_t at = 0; at < axes; ++at) {
            const Axis& axis = forms_[place]->axes[at];
            if (axis.name != nullptr && axis.times == nullptr && !isComputed(axis)) {
                const std::vector<int64_t>& shape = views_[place].shape;
                Know(axis.name, SizeOf(shape, at, axis),
                     NameOf(table_->parameters[place].name, shape, at, axis));
            }
        }
    }
}

std::optional<int64_t> Call::Wanted(const Axis& axis) const {
    if (axis.name == nullptr) {
        return axis.size;
    }
    int64_t product = Size(axis.name);
    if (axis.times != nullptr && __builtin_mul_overflow(product, Size(axis.times), &product)) {
        return {};
    }
    return product;
}

// What has the size, and the size; the number alone of a number.
std::string Call::Rule(const Axis& axis) const {
    if (axis.name == nullptr) {
        return std::to_string(axis.size);
    }
    const Known& one = sizes_.at(axis.name);
    const std::string size = std::to_string(one.size);
    if (axis.times == nullptr) {
        return one.without.empty() ? one.origin + ", " + size : one.origin;
    }
    const Known& other = sizes_.at(axis.times);
    if (!other.without.empty()) {
        return one.origin + other.without + ", " + size;
    }
    return one.origin + " * " + other.origin + ", " + size + " * " + std::to_string(other.size);
}

Reason Call::WrongLimit() {
    for (const SizeRule& size : table_->sizes) {
        const auto known = sizes_.find(size.name);
        if (known == sizes_.end() || !Holds(size.where, *this)) {
            continue;
        }
        const int64_t value = known->second.size;
        const std::string& origin = known->second.origin;
        if (size.least && value < *Wanted(*size.least)) {
            return Broken(origin, value, Rule(*size.least) + " or more" + Where(size.where));
        }
        if (size.most && value > *Wanted(*size.most)) {
            return Broken(origin, value, "at most " + Rule(*size.most) + Where(size.where));
        }
    }
    return {};
}

Reason Call::WrongSize() {
    for (const SizeRule& size : table_->sizes) {
        if (size.of != nullptr) {
            Know(size.name, size.of(*this), size.text);
        }
    }
    for (size_t place = 0; place < views_.size(); ++place) {
        const size_t axes = forms_[place] == nullptr ? 0 : forms_[place]->axes.size();
        for (size_t at = 0; at < axes; ++at) {
            const Reason reason = WrongAxis(table_->parameters[place], at, forms_[place]->axes[at]);
            if (!reason.empty()) {
                return reason;
            }
        }
    }
    return {};
}

Reason Call::WrongAxis(const Parameter& parameter, size_t at, const Axis& axis) const {
    const std::vector<int64_t>& shape = (*this)[parameter.name].shape;
    const int64_t size = SizeOf(shape, at, axis);
    return size == Wanted(axis) ? Reason{}
                                : Broken(NameOf(parameter.name, shape, at, axis), size, Rule(axis));
}

}  // namespace entry
