// What SoftMax and SoftmaxFlashV2 have in common: their shapes, and the arithmetic of one row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../movement/rows.h"
#include "../reduction/reduce.h"
#include "functions.h"
#include "numbers.h"
#include "sixteen_bit.h"

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG{};

// Rows and columns of the source, and how many of them are not padding.
struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};

}  // namespace AscendC

namespace ascendsim {

// Refuses what the model does not compute, and shapes that the interface excludes.
template <typename T>
Rows SoftMaxRows(const AscendC::SoftMaxShapeInfo& shape, bool isNz,
                 const AscendC::SoftmaxConfig& config, const VectorCall& call) {
    const Spot spot{call.where, "V"};
    if (isNz || config.mode != AscendC::SoftmaxMode::SOFTMAX_NORMAL || config.oriSrcM != 0 ||
        config.oriSrcK != 0) {
        Stop(Code::NotModelled, spot,
             "%s in the NZ format, of a constant shape, or with results of one element per row",
             call.name);
    }
    if (shape.srcK == 0) {
        Stop(Code::NotModelled, spot, "%s of the shape that the source tensor carries itself",
             call.name);
    }
    if (shape.srcK * sizeof(T) % kUbBlock != 0 || shape.oriSrcK == 0 ||
        shape.oriSrcK > shape.srcK || shape.oriSrcM > shape.srcM) {
        Stop(Code::ArgumentRange, spot,
             "%s of %u rows of %u columns, %u and %u without padding: a row fills whole 32-byte "
             "blocks, and padding comes behind",
             call.name, shape.srcM, shape.srcK, shape.oriSrcM, shape.oriSrcK);
    }
    return {shape.oriSrcM, shape.oriSrcK, shape.srcK, shape.srcM - shape.oriSrcM};
}

// In float, also for half: the largest element of a row, the exponentials of the differences to
// `highest`, and their sum by the order of ReduceSum.
template <typename T>
float LargestOf(const T* row, uint32_t count) {
    auto largest = static_cast<float>(row[0]);
    for (uint32_t at = 1; at < count; ++at) {
        largest = Larger(largest, static_cast<float>(row[at]));
    }
    return largest;
}

template <typename T>
void Exponentials(const T* row, uint32_t count, float highest, std::vector<float>& out) {
    out.resize(count);
    for (uint32_t at = 0; at < count; ++at) {
        out[at] = Exponential(static_cast<float>(row[at]) - highest);
    }
}

inline float SumOfRow(const std::vector<float>& values) {
    return SumOfAll<true>(values.data(), LayoutOf<float>(1, 8),
                          Lanes(values.size(), kRepeatBytes / sizeof(float)));
}

// One value for each row, in all elements of a 32-byte block.
template <typename T>
constexpr uint32_t kBlockOf = kUbBlock / sizeof(T);

template <typename T>
void FillBlock(T* blocks, uint32_t row, float value) {
    std::fill_n(blocks + row * kBlockOf<T>, kBlockOf<T>, static_cast<T>(value));
}

// The blocks of all rows as an operand: block i depends on row i.
template <typename T>
auto RowBlocks(const AscendC::LocalTensor<T>& tensor, const Rows& rows, const VectorCall& call) {
    return VectorOperand(tensor, uint64_t{rows.count} * kBlockOf<T>, call).InUnits(kUbBlock);
}

}  // namespace ascendsim
