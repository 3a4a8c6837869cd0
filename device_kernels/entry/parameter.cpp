#include "parameter.h"

#include <algorithm>
#include <utility>

#include "call.h"

namespace entry {

namespace {

struct Named {
    aclDataType dtype;
    const char* name;
};
constexpr Named kNames[] = {{ACL_FLOAT, "fp32"},  {ACL_FLOAT16, "fp16"}, {ACL_INT8, "int8"},
                            {ACL_INT32, "int32"}, {ACL_INT64, "int64"},  {ACL_BOOL, "bool"},
                            {ACL_BF16, "bf16"}};

std::string NameOf(aclDataType dtype) {
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                     [dtype](const Named& one) { return one.dtype == dtype; });
    const std::string number = std::to_string(dtype);
    return found == std::end(kNames) ? number : number + " (" + found->name + ")";
}

}  // namespace

Condition Where(const char* number, std::vector<int64_t> values) {
    std::string text = std::string(number) + " is ";
    for (size_t at = 0; at < values.size(); ++at) {
        text += (at == 0 ? "" : " or ") + std::to_string(values[at]);
    }
    const auto holds = [number, values](const Call& call) {
        return std::find(values.begin(), values.end(), call.Number(number)) != values.end();
    };
    return {holds, text};
}

Condition Given(const char* tensor) {
    return {[tensor](const Call& call) { return call.Has(tensor); },
            std::string(tensor) + " is one"};
}

Condition Both(const Condition& one, const Condition& other) {
    const auto holds = [one, other](const Call& call) {
        return one.holds(call) && other.holds(call);
    };
    return {holds, one.text + " and " + other.text};
}

bool Types::Allow(aclDataType dtype, aclDataType ofOther) const {
    const bool isListed = std::find(listed.begin(), listed.end(), dtype) != listed.end();
    if (as == nullptr) {
        return isListed;
    }
    return dtype == ofOther || (isListed && ofOther == ACL_BF16);
}

std::string Types::Rule(aclDataType ofOther) const {
    if (as != nullptr) {
        const std::string same = std::string("that of ") + as + ", " + std::to_string(ofOther);
        return listed.empty() || ofOther != ACL_BF16 ? same : same + ", or " + NameOf(listed[0]);
    }
    std::string rule = NameOf(listed[0]);
    for (size_t index = 1; index < listed.size(); ++index) {
        rule += (index + 1 < listed.size() ? ", " : " or ") + NameOf(listed[index]);
    }
    return rule;
}

Parameter Parameter::Between(int64_t fewest, int64_t largest) const {
    Parameter changed = *this;
    changed.least = fewest;
    changed.most = largest;
    return changed;
}

Parameter Parameter::Within(double low, double high) const {
    Parameter changed = *this;
    changed.lowest = low;
    changed.highest = high;
    return changed;
}

Parameter Parameter::Or(Axes axes, Condition where) const {
    Parameter changed = *this;
    changed.forms.push_back({std::move(axes), where});
    return changed;
}

Parameter Parameter::Only(Condition where) const {
    Parameter changed = *this;
    changed.read = where;
    return changed;
}

Parameter Parameter::AskedBeside(const char* tensor) const {
    Parameter changed = *this;
    changed.askedBeside = tensor;
    return changed;
}

Parameter Parameter::With(Need other, const char* tensor) const {
    Parameter changed = *this;
    changed.need = other;
    changed.beside = tensor;
    return changed;
}

}  // namespace entry
