#include "environment.h"

#include <unistd.h>

#include <map>
#include <string>
#include <string_view>

namespace ascendsim {
namespace {

constexpr std::string_view kPrefix = "ASCENDSIM_";

// Leaked: a program may launch kernels from its static destructors.
const std::map<std::string, std::string>& TheVariables() {
    static const auto* const variables = [] {
        auto* read = new std::map<std::string, std::string>;
        for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
            const std::string_view text = *entry;
            const size_t end = text.find('=');
            if (text.starts_with(kPrefix) && end != text.npos) {
                read->emplace(text.substr(0, end), text.substr(end + 1));
            }
        }
        return read;
    }();
    return *variables;
}

// At load: first use may come after a judged library's constructors.
[[maybe_unused]] const bool isRead = (TheVariables(), true);

}  // namespace

const char* Variable(const char* name) {
    const auto found = TheVariables().find(name);
    return found == TheVariables().end() ? nullptr : found->second.c_str();
}

}  // namespace ascendsim
