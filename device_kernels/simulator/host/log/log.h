// Messages of host code: the last error is the reason of a refused call; the rest is not kept.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

#include "graph/types.h"
#include "util/to_string.h"

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

inline const char* WordOf(const char* word) { return word; }
inline const char* WordOf(const std::string& word) { return word.c_str(); }

// What of a call is wrong, and what is allowed or why.
template <typename Name, typename Value, typename Rule>
inline void HostErrorOf(const Name& name, const Value& value, const Rule& rule) {
    HostError("%s is %s; %s", WordOf(name), WordOf(value), WordOf(rule));
}

// Operands of a message that is not kept are still compiled.
template <typename... Anything>
inline void Unkept(const Anything&...) {}

}  // namespace ascendsim

#define OP_LOGE(node, ...) (::ascendsim::Unkept(node), ::ascendsim::HostError(__VA_ARGS__))
#define OP_LOGE_WITHOUT_REPORT OP_LOGE
#define OP_LOGE_WITH_INVALID_INPUT(node, name) OP_LOGE(node, "%s is invalid", name)
#define OP_LOGE_OF(node, ...) (::ascendsim::Unkept(node), ::ascendsim::HostErrorOf(__VA_ARGS__))
#define OP_LOGE_WITH_INVALID_ATTR OP_LOGE_OF
#define OP_LOGE_WITH_INVALID_ATTR_SIZE OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_VALUE OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_DTYPE OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPE OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPEDIM OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON OP_LOGE_OF
#define OP_LOGE_FOR_INVALID_SHAPESIZE OP_LOGE_OF
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

// What ops_err.h of a checkout makes its messages of: the text is kept once.
#define OpLogSub(module, level, ...) ::ascendsim::Unkept(module, level)
#define REPORT_INNER_ERR_MSG(code, ...) \
    (::ascendsim::Unkept(code), ::ascendsim::HostError(__VA_ARGS__))

#define DLOG_DEBUG 0
#define DLOG_ERROR 3
#define OP 63
inline int32_t CheckLogLevel(int32_t, int32_t) { return 0; }
