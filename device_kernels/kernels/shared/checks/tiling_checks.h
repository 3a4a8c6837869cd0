// What host tilings check: that a kernel and the machine can do the call. Numbers and shapes phase
// 1 has checked before, beside the table of the interface.
#ifndef TILING_CHECKS_H
#define TILING_CHECKS_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace tiling_checks {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kMostTopK = 512;

using Reason = std::string;  // empty: nothing is wrong

inline Reason Broken(const std::string& parameter, const std::string& value,
                     const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule;
}

inline Reason Broken(const std::string& parameter, int64_t value, const std::string& rule) {
    return Broken(parameter, std::to_string(value), rule);
}

inline Reason CheckTopK(const char* name, int64_t topK) {
    return topK <= kMostTopK ? Reason{}
                             : Broken(name, topK, "at most " + std::to_string(kMostTopK));
}

// `of`: what the least size is of.
inline Reason CheckUb(int64_t ubBytes, int64_t least, const std::string& of = "") {
    return ubBytes >= least ? Reason{}
                            : Broken("the unified buffer", std::to_string(ubBytes) + " bytes",
                                     std::to_string(least) + " bytes or more" + of);
}

// Puts what is wrong, with its source, where the caller has room for it; returns the status.
inline int32_t Answer(const Reason& broken, const char* source, char* reason, uint64_t reasonBytes,
                      int32_t rejected = kTilingRejected) {
    const std::string text = broken.empty() ? broken : broken + " (" + source + ")";
    std::snprintf(reason, reasonBytes, "%s", text.c_str());
    return broken.empty() ? kAccepted : rejected;
}

}  // namespace tiling_checks

#endif
