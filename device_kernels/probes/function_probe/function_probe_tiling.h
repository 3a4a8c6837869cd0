// What host and kernel of FunctionProbe share: how the work is cut.
#pragma once

#include <cstdint>

// The functions, as the number `function` names them.
enum class ProbedFunction : int64_t { Exp, Ln, Sqrt, Div, Reciprocal };

struct FunctionProbeTilingData {
    int64_t usedCores;  // blocks to launch
    int64_t elements;   // of each tensor
    int64_t perCore;    // elements of every core but the last
    int64_t tile;       // elements that are computed at once; 0: no room
    int64_t function;   // a ProbedFunction
};

// The cut for a machine of so many cores, each with a unified buffer (UB) of so many bytes.
FunctionProbeTilingData FunctionProbeTiling(int64_t elements, int64_t function, int64_t cores,
                                            int64_t ubBytes);
