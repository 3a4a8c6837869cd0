// What operators whose slots have row indices of the caller's have in common of their interfaces.
#ifndef ROW_INDICES_INTERFACE_H
#define ROW_INDICES_INTERFACE_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "call.h"

namespace row_indices {

// activeNum counts tokens.
inline int64_t ActiveRows(const entry::Call& call) {
    return std::min(call.Number("activeNum"), call.Size("tokens")) * call.Size("topK");
}

// With rows of such types. What else the operator has stands behind activeNum.
inline entry::Table Interface(const char* source, const entry::Types& ofRows,
                              const std::vector<entry::Parameter>& more = {}) {
    using namespace entry;
    Table table{source,
                {In("x", kFloating, {"tokens", "hidden"}), In("rowIdx", kInt32, {"tokens", "topK"}),
                 In("expertIdx", kInt32, {"tokens", "topK"}), Number("activeNum")},
                Stage::TILING,
                {Is("rows", ActiveRows, "the number of slots of as many tokens as activeNum keeps"),
                 AtLeast("activeNum", 0)}};
    const std::vector<Parameter> outputs{
        Out("expandedXOut", ofRows, {"rows", "hidden"}),
        Out("expandedRowIdxOut", kInt32, {Times("tokens", "topK")}),
        Out("expandedExpertIdxOut", kInt32, {Times("tokens", "topK")})};
    for (const auto& others : {more, outputs}) {
        table.parameters.insert(table.parameters.end(), others.begin(), others.end());
    }
    return table;
}

}  // namespace row_indices

#endif
