// A call's numbers and shapes beside the rules of its table.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// In the fewest digits that give the number back.
std::string Text(double value) {
    char text[32];
    for (int digits = 1; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value) {
            break;
        }
    }
    return text;
}

bool Holds(const Condition& where, const Call& call) { return !where.holds || where.holds(call); }

std::string Where(const Condition& where) { return !where.holds ? "" : " if " + where.text; }

std::string Text(const std::vector<int64_t>& shape) {
    std::string text = "[";
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    }
    return text + "]";
}

bool IsRest(const Axis& axis) { return axis.least != 1 || axis.most != 1; }

// Dims `first` to `end` of a tensor, which an axis of the table stands for.
struct Dims {
    const char* tensor;
    const std::vector<int64_t>& shape;
    size_t first;
    size_t end;

    // Of the sizes; the largest number if the product is more.
    int64_t Product() const {
        const auto begin = shape.begin() + static_cast<int64_t>(first);
        const auto stop = shape.begin() + static_cast<int64_t>(end);
        int64_t product = std::find(begin, stop, 0) == stop ? 1 : 0;
        for (auto size = begin; size != stop; ++size) {
            if (__builtin_mul_overflow(product, *size, &product)) {
                return std::numeric_limits<int64_t>::max();
            }
        }
        return product;
    }

    std::string Name() const {
        if (end == first + 1) {
            return "dim " + std::to_string(first) + " of " + tensor;
        }
        if (end == first) {
            return "the missing dim " + std::to_string(first) + " of " + tensor + " " + Text(shape);
        }
        return "the product of dims " + std::to_string(first) + " to " + std::to_string(end - 1) +
               " of " + tensor + " " + Text(shape);
    }
};

// Those of each axis, of a tensor whose rank the form takes.
std::vector<Dims> DimsOf(const Form& form, const char* tensor, const std::vector<int64_t>& shape) {
    std::vector<Dims> found;
    size_t first = 0;
    for (const Axis& axis : form.axes) {
        const size_t count = IsRest(axis) ? shape.size() + 1 - form.axes.size() : 1;
        found.push_back({tensor, shape, first, first + count});
        first += count;
    }
    return found;
}

// The fewest and the most axes.
std::pair<size_t, size_t> Ranks(const Form& form) {
    std::pair<size_t, size_t> ranks{0, 0};
    for (const Axis& axis : form.axes) {
        ranks.first += axis.least;
        ranks.second = axis.most == kAnyNumber ? kAnyNumber : ranks.second + axis.most;
    }
    return ranks;
}

bool Fits(const Form& form, size_t rank) {
    const auto [least, most] = Ranks(form);
    return least <= rank && rank <= most;
}

std::string RankRule(const Form& form) {
    const auto [least, most] = Ranks(form);
    if (most == kAnyNumber) {
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
        if (parameter.kind == Kind::LIST && parameter.least && HasList(parameter.name) &&
            (parameter.forms.empty() || Holds(parameter.forms[0].where, *this))) {
            const std::vector<int64_t>& values = lists_[PlaceOf(parameter.name)].values;
            const auto count = static_cast<int64_t>(values.size());
            if (count != *parameter.least) {
                return Broken(std::string("the length of ") + parameter.name + " " + Text(values),
                              count, std::to_string(*parameter.least));
            }
        }
        if (const Reason wrong = WrongReal(parameter); !wrong.empty()) {
            return wrong;
        }
        if (parameter.kind != Kind::NUMBER) {
            continue;
        }
        const int64_t value = Number(parameter.name);
        if (parameter.least && (value < *parameter.least || value > *parameter.most)) {
            const std::string least = std::to_string(*parameter.least);
            const std::string most = std::to_string(*parameter.most);
            return *parameter.most == 0 ? Broken(parameter.name, "true", "false")
                                        : Broken(parameter.name, value,
                                                 least == most ? least : least + " to " + most);
        }
        Know(parameter.name, value, parameter.name);
        if (!parameter.forms.empty() && Holds(parameter.forms[0].where, *this)) {
            Know(parameter.forms[0].axes[0].name, value, parameter.name);
        }
    }
    return {};
}

Reason Call::WrongReal(const Parameter& parameter) const {
    if (!parameter.lowest) {
        return {};
    }
    const double value = Real(parameter.name);
    const bool isWithin = *parameter.lowest <= value && value <= *parameter.highest;
    return isWithin ? Reason()
                    : Broken(parameter.name, Text(value),
                             Text(*parameter.lowest) + " to " + Text(*parameter.highest));
}

Reason Call::Missing() {
    for (const Parameter& parameter : table_->parameters) {
        const char* other = parameter.askedBeside;
        const bool isAsked = (other != nullptr && Has(other)) ||
                             (parameter.read.holds && parameter.read.holds(*this));
        if (isAsked && !Has(parameter.name)) {
            const std::string where =
                other == nullptr ? Where(parameter.read) : std::string(" if ") + other + " is one";
            return Broken(parameter.name, "null", "a tensor" + where);
        }
    }
    return {};
}

bool Call::IsRead(const Parameter& parameter) const {
    const bool isBeside = parameter.beside == nullptr || parameter.need == Need::SHAPED_BESIDE ||
                          Has(parameter.beside);
    return parameter.IsTensor() && !parameter.forms.empty() && Has(parameter.name) && isBeside &&
           Holds(parameter.read, *this);
}

Reason Call::WrongRank() {
    forms_.assign(views_.size(), nullptr);
    for (size_t place = 0; place < views_.size(); ++place) {
        const Parameter& parameter = table_->parameters[place];
        if (!IsRead(parameter)) {
            continue;
        }
        const std::vector<int64_t>& shape = views_[place].shape;
        const bool isSpecial = std::any_of(
            parameter.forms.begin(), parameter.forms.end(),
            [this](const Form& form) { return form.where.holds && form.where.holds(*this); });
        Reason rule;
        for (const Form& form : parameter.forms) {
            if (static_cast<bool>(form.where.holds) != isSpecial || !Holds(form.where, *this)) {
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
        } else if (size.without != nullptr) {
            KnowSizesOf(PlaceOf(size.without), size.name);
        }
    }
    for (const bool isNeeded : {true, false}) {
        for (size_t place = 0; place < views_.size(); ++place) {
            if ((table_->parameters[place].need == Need::ALWAYS) == isNeeded) {
                KnowSizesOf(place, nullptr);
            }
        }
    }
}

void Call::KnowSizesOf(size_t place, const char* only) {
    const auto isComputed = [this](const char* name) {
        return std::any_of(table_->sizes.begin(), table_->sizes.end(), [&](const SizeRule& one) {
            return one.of != nullptr && std::strcmp(one.name, name) == 0;
        });
    };
    if (forms_[place] == nullptr) {
        return;
    }
    const std::vector<Dims> dims =
        DimsOf(*forms_[place], table_->parameters[place].name, views_[place].shape);
    for (size_t at = 0; at < dims.size(); ++at) {
        const Axis& axis = forms_[place]->axes[at];
        if (axis.name != nullptr && axis.times == nullptr && !isComputed(axis.name) &&
            (only == nullptr || std::strcmp(only, axis.name) == 0)) {
            const auto& [tensor, shape, first, end] = dims[at];
            const std::string without = " without dim " + std::to_string(first) + " of " + tensor;
            sizes_.try_emplace(axis.name, first == end
                                              ? Known{1, "1" + without, without}
                                              : Known{dims[at].Product(), dims[at].Name()});
        }
    }
}

bool Call::Knows(const Axis& axis) const {
    return (axis.name == nullptr || sizes_.count(axis.name) > 0) &&
           (axis.times == nullptr || sizes_.count(axis.times) > 0);
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
        if (size.least && Knows(*size.least) && value < *Wanted(*size.least)) {
            return Broken(origin, value, Rule(*size.least) + " or more" + Where(size.where));
        }
        if (size.most && Knows(*size.most) && value > *Wanted(*size.most)) {
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
        if (forms_[place] == nullptr) {
            continue;
        }
        const std::vector<Dims> dims =
            DimsOf(*forms_[place], table_->parameters[place].name, views_[place].shape);
        for (size_t at = 0; at < dims.size(); ++at) {
            const Axis& axis = forms_[place]->axes[at];
            if (Knows(axis) && dims[at].Product() != Wanted(axis)) {
                return Broken(dims[at].Name(), dims[at].Product(), Rule(axis));
            }
        }
    }
    return {};
}

}  // namespace entry
