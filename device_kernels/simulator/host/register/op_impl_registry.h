// How an operator names its tiling function and what it prepares before the first call.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/types.h"

namespace ascendsim {

using TilingFunction = ge::graphStatus (*)(gert::TilingContext*);
using ParseFunction = ge::graphStatus (*)(gert::TilingParseContext*);

// What one library of host code has registered, for one operator.
struct RegisteredTiling {
    std::string operatorType;
    TilingFunction tiling = nullptr;
    ParseFunction parse = nullptr;
    std::shared_ptr<void> (*makeCompileInfo)() = nullptr;
};

inline RegisteredTiling& Registered() {
    static RegisteredTiling registered;
    return registered;
}

class Registration {
public:
    explicit Registration(const char* operatorType) { Registered().operatorType = operatorType; }

    Registration& Tiling(TilingFunction function, size_t = 0) {
        Registered().tiling = function;
        return *this;
    }
    template <typename CompileInfo>
    Registration& TilingParse(ParseFunction function) {
        Registered().parse = function;
        Registered().makeCompileInfo = [] {
            return std::static_pointer_cast<void>(std::make_shared<CompileInfo>());
        };
        return *this;
    }
    // Of what the graph is told, and not the tiling.
    template <typename... Anything>
    Registration& InputsDataDependency(Anything&&...) {
        return *this;
    }
};

}  // namespace ascendsim

#define IMPL_OP(Operator)                                                        \
    [[maybe_unused]] static ::ascendsim::Registration registrationOf##Operator = \
        ::ascendsim::Registration(#Operator)
#define IMPL_OP_OPTILING(Operator) IMPL_OP(Operator)
