// A line of the kernel's source, as a default argument finds it: that of the call.
#pragma once

#include <cstdint>
#include <version>

#ifdef __cpp_lib_source_location
#include <source_location>
#endif

namespace ascendsim {

#ifdef __cpp_lib_source_location
using CallSite = std::source_location;
#else
// clang before 16 has the compiler's part of std::source_location, but not the library's.
class CallSite {
public:
    constexpr CallSite() = default;
    static constexpr CallSite current(const char* file = __builtin_FILE(),
                                      uint32_t line = __builtin_LINE()) {
        CallSite site;
        site.file_ = file;
        site.line_ = line;
        return site;
    }
    constexpr const char* file_name() const { return file_; }
    constexpr uint32_t line() const { return line_; }

private:
    const char* file_ = "";
    uint32_t line_ = 0;
};
#endif

}  // namespace ascendsim
