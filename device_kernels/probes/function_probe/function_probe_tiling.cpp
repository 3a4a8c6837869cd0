#include "function_probe_tiling.h"

#include <algorithm>

namespace {

constexpr int64_t kBlock = 8;    // floats of a copy's granule
constexpr int64_t kBuffers = 3;  // two operands and the result
constexpr int64_t kFloatBytes = 4;

int64_t CeilDiv(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

FunctionProbeTilingData FunctionProbeTiling(int64_t elements, int64_t function, int64_t cores,
                                            int64_t ubBytes) {
    const int64_t perCore = CeilDiv(CeilDiv(elements, cores), kBlock) * kBlock;
    const int64_t room = ubBytes / kBuffers / kFloatBytes / kBlock * kBlock;
    return {CeilDiv(elements, perCore), elements, perCore, std::min(perCore, room), function};
}
