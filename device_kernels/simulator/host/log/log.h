// Messages of host code: the last error is the reason of a refused call; the rest is not kept.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

#include "graph/types.h"

namespace ascendsim {

// The errors since the last call began, one under the other.
inline std::string& HostErrors() {
    thread_local std::string errors;
    return errors;
}

__attribute__((format(printf, 1, 2))) inline void HostError(const char* format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    std::string& errors = HostErrors();
    errors += (errors.empty() ? "" : "; ") + std::string(text);
}

// Operands of a message that is not kept are still compiled.
template <typename... Anything>
inline void Unkept(const Anything&...) {}

}  // namespace ascendsim

#define OP_LOGE(node, ...) (::ascendsim::Unkept(node), ::ascendsim::HostError(__VA_ARGS__))
#define OP_LOGE_WITH_INVALID_INPUT(node, name) OP_LOGE(node, "%s is invalid", name)
#define OP_LOGW(...) ::ascendsim::Unkept(__VA_ARGS__)
#define OP_LOGI(...) ::ascendsim::Unkept(__VA_ARGS__)
#define OP_LOGD(...) ::ascendsim::Unkept(__VA_ARGS__)
#define OP_LOGE_IF(condition, answer, node, ...) \
    do {                                         \
        if (condition) {                         \
            OP_LOGE(node, __VA_ARGS__);          \
            return answer;                       \
        }                                        \
    } while (false)

// Where the condition holds: the message, then what is to be done, which is to return.
#define OP_CHECK_IF(condition, message, ...) \
    do {                                     \
        if (condition) {                     \
            message;                         \
            __VA_ARGS__;                     \
        }                                    \
    } while (false)

#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)                            \
    do {                                                                        \
        if ((pointer) == nullptr) {                                             \
            OP_LOGE((context)->GetNodeName(), #pointer " is not in this call"); \
            return ::ge::GRAPH_FAILED;                                          \
        }                                                                       \
    } while (false)

#define DLOG_DEBUG 0
#define OP 63
inline int32_t CheckLogLevel(int32_t, int32_t) { return 0; }
