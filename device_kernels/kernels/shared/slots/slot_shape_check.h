// The host's checks on shapes of calls that copy rows to the ranks of slots, one sentence for each
// broken rule.
#ifndef SLOT_SHAPE_CHECK_H
#define SLOT_SHAPE_CHECK_H

#include <cstdint>
#include <limits>
#include <string>

#include "slot_copy_check.h"

namespace slot_copy {

using List = SlotCopyList;

inline std::string Text(const List& list) {
    std::string text = "[";
    for (uint64_t at = 0; at < list.count; ++at) {
        text += (at == 0 ? "" : ", ") + std::to_string(list.values[at]);
    }
    return text + "]";
}

inline Reason BrokenRank(const std::string& tensor, const List& shape, const std::string& rule) {
    return Broken("the rank of " + tensor + " " + Text(shape), static_cast<int64_t>(shape.count),
                  rule);
}

// The columns of a row: all dims but the first. The largest number where they are more.
inline int64_t Columns(const List& shape) {
    int64_t columns = 1;
    bool isEmpty = false;
    bool isTooLarge = false;
    for (uint64_t axis = 1; axis < shape.count; ++axis) {
        isEmpty |= shape.values[axis] == 0;
        isTooLarge |= __builtin_mul_overflow(columns, shape.values[axis], &columns);
    }
    return isEmpty ? 0 : isTooLarge ? std::numeric_limits<int64_t>::max() : columns;
}

inline int64_t TopK(const List& indices) { return indices.count == 2 ? indices.values[1] : 1; }

inline int64_t Slots(const List& indices) { return indices.values[0] * TopK(indices); }

inline Reason CheckTokens(const List& tokens) {
    return tokens.count < 1 ? BrokenRank("tokens", tokens, "1 or greater") : Reason{};
}

inline Reason CheckInputs(const List& tokens, const List& indices) {
    if (indices.count != 1 && indices.count != 2) {
        return BrokenRank("indices", indices, "1 or 2");
    }
    if (Reason reason = CheckTokens(tokens); !reason.empty()) {
        return reason;
    }
    if (tokens.values[0] != indices.values[0]) {
        return Broken("dim 0 of tokens", tokens.values[0],
                      "dim 0 of indices, " + std::to_string(indices.values[0]));
    }
    return {};
}

inline Reason CheckColumns(const List& permuteTokens, const List& tokens) {
    if (Columns(permuteTokens) == Columns(tokens)) {
        return {};
    }
    return Broken("the number of columns of permuteTokensOut " + Text(permuteTokens),
                  Columns(permuteTokens), "that of tokens, " + std::to_string(Columns(tokens)));
}

// `rows` as the operator's attributes have them; `meaning` says how.
inline Reason CheckTokensOut(const List& shape, const List& tokens, int64_t rows,
                             const std::string& meaning) {
    if (shape.count < 2) {
        return BrokenRank("permuteTokensOut", shape, "2 or greater");
    }
    if (Reason reason = CheckColumns(shape, tokens); !reason.empty()) {
        return reason;
    }
    if (shape.values[0] != rows) {
        return Broken("dim 0 of permuteTokensOut", shape.values[0],
                      meaning + ", " + std::to_string(rows));
    }
    return {};
}

inline Reason CheckVector(const char* name, const List& shape, int64_t elements,
                          const std::string& meaning) {
    if (shape.count != 1) {
        return BrokenRank(name, shape, "1");
    }
    if (shape.values[0] != elements) {
        return Broken(std::string("dim 0 of ") + name, shape.values[0],
                      meaning + ", " + std::to_string(elements));
    }
    return {};
}

inline Reason CheckRanksOut(const List& shape, const List& indices) {
    return CheckVector("sortedIndicesOut", shape, Slots(indices),
                       "the number of elements of indices");
}

}  // namespace slot_copy

#endif
