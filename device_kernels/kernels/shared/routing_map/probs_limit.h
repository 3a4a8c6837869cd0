// Limits of tilings whose tokens come with probs of a data type of their own.
#ifndef PROBS_LIMIT_H
#define PROBS_LIMIT_H

#include <cstdint>
#include <string>

namespace probs_limit {

// Takes from `axis` what it says of the probs; returns the bytes of one of them: as many as one of
// the tokens has where it says nothing, and 0 where there are no probs.
inline int64_t TakeProbsBytes(std::string* axis, int64_t tokenBytes) {
    const struct {
        const char* prefix;
        int64_t bytes;
    } others[] = {{"no-probs-", 0}, {"16-bit-probs-", 2}, {"fp32-probs-", 4}};
    for (const auto& [prefix, bytes] : others) {
        if (axis->starts_with(prefix)) {
            axis->erase(0, std::string(prefix).size());
            return bytes;
        }
    }
    return tokenBytes;
}

}  // namespace probs_limit

#endif
