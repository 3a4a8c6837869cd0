// Functions on rows: Sigmoid, SoftMax, SoftmaxFlashV2, TopK, Broadcast, and sums along an axis.
#include "staged.h"

using namespace AscendC;

namespace {

// params: rows, columns, and how many of both are no padding.
__aicore__ inline SoftMaxShapeInfo ShapeOf(GM_ADDR params) {
    return {static_cast<uint32_t>(Param(params, 0)), static_cast<uint32_t>(Param(params, 1)),
            static_cast<uint32_t>(Param(params, 2)), static_cast<uint32_t>(Param(params, 3))};
}

// The result's parts from `bytes` on.
template <typename T>
__aicore__ inline LocalTensor<T> Part(const Stage& stage, uint32_t bytes) {
    return stage.Out<uint8_t>()[bytes].ReinterpretCast<T>();
}

constexpr SoftMaxTiling kTiling{};

}  // namespace

// params: the count. With the whole first operand where it is 0.
#define SIGMOID(T)                                                                        \
    STAGED_KERNEL(Sigmoid_##T) {                                                          \
        Sigmoid(stage.Out<T>(), stage.First<T>(), stage.Work<uint8_t>(),                  \
                static_cast<uint32_t>(Param(params, 0)));                                 \
    }                                                                                     \
    STAGED_KERNEL(Sigmoid_##T##_of_all) { Sigmoid<T>(stage.Out<T>(), stage.First<T>()); } \
    STAGED_KERNEL(Sigmoid_##T##_of_all_in_space) {                                        \
        Sigmoid(stage.Out<T>(), stage.First<T>(), stage.Work<uint8_t>());                 \
    }
SIGMOID(half)
SIGMOID(float)

// The result has the quotients, a block for each row's sum, and one for its largest element.
#define SOFTMAX(name, T, S)                                                                      \
    STAGED_KERNEL(SoftMax_##name) {                                                              \
        const SoftMaxShapeInfo shape = ShapeOf(params);                                          \
        const uint32_t sums = shape.srcM * shape.srcK * sizeof(T);                               \
        SoftMax<T>(stage.Out<T>(), Part<S>(stage, sums),                                         \
                   Part<S>(stage, sums + shape.oriSrcM * 32), stage.First<T>(),                  \
                   stage.Work<uint8_t>(), kTiling, shape);                                       \
    }                                                                                            \
    STAGED_KERNEL(SoftMax_##name##_without_space) {                                              \
        const SoftMaxShapeInfo shape = ShapeOf(params);                                          \
        const uint32_t sums = shape.srcM * shape.srcK * sizeof(T);                               \
        SoftMax<T>(stage.Out<T>(), Part<S>(stage, sums),                                         \
                   Part<S>(stage, sums + shape.oriSrcM * 32), stage.First<T>(), kTiling, shape); \
    }
SOFTMAX(half, half, half)
SOFTMAX(float, float, float)
SOFTMAX(mixed, half, float)

// In place: the result is the operand.
STAGED_KERNEL(SoftMax_in_place) {
    SoftMax<float, true>(stage.Out<float>(), stage.Out<float>(), kTiling, ShapeOf(params));
}
STAGED_KERNEL(SoftMax_in_place_in_space) {
    SoftMax<float, true>(stage.Out<float>(), stage.Out<float>(), stage.Work<uint8_t>(), kTiling,
                         ShapeOf(params));
}

// params: rows and columns of the operand.
#define SUM_AXIS(pattern)                                                                          \
    STAGED_KERNEL(ReduceSum_##pattern) {                                                           \
        const uint32_t shape[2] = {static_cast<uint32_t>(Param(params, 0)),                        \
                                   static_cast<uint32_t>(Param(params, 1))};                       \
        ReduceSum<float, Pattern::Reduce::pattern>(stage.Out<float>(), stage.First<float>(),       \
                                                   stage.Work<uint8_t>(), shape, true);            \
    }                                                                                              \
    STAGED_KERNEL(ReduceSum_##pattern##_reusing) {                                                 \
        const uint32_t shape[2] = {static_cast<uint32_t>(Param(params, 0)),                        \
                                   static_cast<uint32_t>(Param(params, 1))};                       \
        ReduceSum<float, Pattern::Reduce::pattern, true>(stage.Out<float>(), stage.First<float>(), \
                                                         shape, true);                             \
    }
SUM_AXIS(AR)
SUM_AXIS(RA)

// params: rows and columns of the result.
#define BROADCAST(T)                                                                           \
    STAGED_KERNEL(Broadcast_##T##_row) {                                                       \
        const uint32_t to[2] = {static_cast<uint32_t>(Param(params, 0)),                       \
                                static_cast<uint32_t>(Param(params, 1))};                      \
        const uint32_t from[2] = {1, to[1]};                                                   \
        Broadcast<T, 2, 0>(stage.Out<T>(), stage.First<T>(), to, from, stage.Work<uint8_t>()); \
    }                                                                                          \
    STAGED_KERNEL(Broadcast_##T##_column) {                                                    \
        const uint32_t to[2] = {static_cast<uint32_t>(Param(params, 0)),                       \
                                static_cast<uint32_t>(Param(params, 1))};                      \
        const uint32_t from[2] = {to[0], 1};                                                   \
        BroadCast<T, 2, 1>(stage.Out<T>(), stage.First<T>(), to, from);                        \
    }                                                                                          \
    STAGED_KERNEL(Broadcast_##T##_one) {                                                       \
        const uint32_t to[1] = {static_cast<uint32_t>(Param(params, 1))};                      \
        const uint32_t from[1] = {1};                                                          \
        Broadcast<T, 1, 0>(stage.Out<T>(), stage.First<T>(), to, from);                        \
    }
BROADCAST(half)
BROADCAST(float)

// Rows in two parts, one behind the other in the first input. The result has the exponentials of
// both, and a block for each row's sum, largest element, and factor of the first part.
#define FLASH(name, T, S, ...)                                                              \
    STAGED_KERNEL(SoftmaxFlashV2_##name) {                                                  \
        const SoftMaxShapeInfo shape = ShapeOf(params);                                     \
        const uint32_t part = shape.srcM * shape.srcK;                                      \
        const uint32_t blocks = 2 * part * sizeof(T);                                       \
        const auto sum = Part<S>(stage, blocks);                                            \
        const auto max = Part<S>(stage, blocks + shape.srcM * 32);                          \
        const auto factor = Part<T>(stage, blocks + shape.srcM * 64);                       \
        const auto src = stage.First<T>();                                                  \
        const LocalTensor<S> none;                                                          \
        SoftmaxFlashV2<T>(stage.Out<T>(), sum, max, src, factor, none, none, ##__VA_ARGS__, \
                          kTiling, shape);                                                  \
        SoftmaxFlashV2<T, true>(stage.Out<T>()[part], sum, max, src[part], factor, sum,     \
                                max, ##__VA_ARGS__, kTiling, shape);                        \
    }
FLASH(half, half, half)
FLASH(float, float, float, stage.Work<uint8_t>())
FLASH(mixed, half, float, stage.Work<uint8_t>())

// First: rows. Second: indices, then bools that tell which rows are finished. The result has the
// values, then the indices. params: outter, inner, n, k, whether the largest are wanted, and where
// the result's indices and the second's bools begin.
#define TOP_K(name, T, ...)                                                                      \
    STAGED_KERNEL(TopK_##name) {                                                                 \
        const TopKInfo info{Param(params, 0), Param(params, 1), Param(params, 2)};               \
        const auto finished = stage.Second<uint8_t>()[Param(params, 6)].ReinterpretCast<bool>(); \
        TopK<T, __VA_ARGS__>(stage.Out<T>(), Part<int32_t>(stage, Param(params, 5)),             \
                             stage.First<T>(), stage.Second<int32_t>(), finished,                \
                             stage.Work<uint8_t>(), Param(params, 3), TopkTiling{}, info,        \
                             Param(params, 4) != 0);                                             \
    }
TOP_K(half_by_place, half, false)
TOP_K(float_by_place, float, false)
TOP_K(half_by_index, half, true)
TOP_K(float_by_index, float, true)
TOP_K(float_finished, float, true, true)
TOP_K(float_small, float, true, false, false, TopKMode::TOPK_NSMALL)
TOP_K(half_small, half, true, false, false, TopKMode::TOPK_NSMALL)

// In place, without a space, and with the default direction.
STAGED_KERNEL(TopK_in_place) {
    const TopKInfo info{1, Param(params, 0), Param(params, 0)};
    const auto values = stage.Out<float>();
    const auto indices = Part<int32_t>(stage, info.inner * sizeof(float));
    TopK<float, true>(values, indices, values, indices, LocalTensor<bool>(), info.inner,
                      TopkTiling{}, info);
}
