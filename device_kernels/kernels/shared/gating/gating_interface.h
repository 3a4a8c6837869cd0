// The parameters that the operators with a softmax and the k best experts have in common.
#ifndef GATING_INTERFACE_H
#define GATING_INTERFACE_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "call.h"
#include "gating_cut.h"

namespace gating {

inline const entry::Types kFp32{{ACL_FLOAT}};
inline const entry::Types kBool{{ACL_BOOL}};

// Rows may be grouped into batches; then those of all tensors are.
inline const entry::Condition kBatched{
    [](const entry::Call& call) { return call["x"].shape.size() == 3; }, "x has 3 dims"};

inline entry::Parameter Rows(const entry::Parameter& tensor) {
    return tensor.Or({"rows"}).Or({"batches", "rows"}, kBatched);
}
inline entry::Parameter Rows(const entry::Parameter& tensor, const char* columns) {
    return tensor.Or({"rows", columns}).Or({"batches", "rows", columns}, kBatched);
}

inline entry::Parameter X() {
    return entry::In("x", entry::kFloating, {"rows", "experts"}).Or({"batches", "rows", "experts"});
}
inline entry::Parameter Finished() { return Rows(entry::In("finishedOptional", kBool).Optional()); }
inline entry::Parameter K() { return entry::Number("k").Between(1, kMostK); }
inline entry::Parameter Y() { return Rows(entry::Out("yOut", entry::As("x")), "k"); }
inline entry::Parameter ExpertIdx() { return Rows(entry::Out("expertIdxOut", entry::kInt32), "k"); }

// No dim of x is 0, and k of the experts are chosen.
inline std::vector<entry::SizeRule> Limits() {
    return {entry::AtLeast("batches", 1), entry::AtLeast("rows", 1), entry::AtLeast("experts", 1),
            entry::AtMost("k", "experts")};
}

// The rows of all batches.
inline int64_t RowsOf(const entry::Call& call) {
    return call.Size("rows") * std::max<int64_t>(1, call.Size("batches"));
}

}  // namespace gating

#endif
