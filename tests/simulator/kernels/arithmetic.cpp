// Add, Adds, Muls and Duplicate on whole tensors, and in their mask and repeat form.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// Copies `count` elements of both inputs in, calls compute(out, left, right), copies `out` out.
template <typename T, typename Compute>
__aicore__ inline void Elementwise(GM_ADDR first, GM_ADDR second, GM_ADDR result, uint32_t count,
                                   Compute compute) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    const auto bytes = static_cast<uint32_t>(count * sizeof(T));
    pipe.InitBuffer(in, 2, bytes);
    pipe.InitBuffer(out, 1, bytes);
    const DataCopyExtParams whole{1, bytes, 0, 0, 0};
    const DataCopyPadExtParams<T> unpadded{false, 0, 0, T(0)};
    for (GM_ADDR input : {first, second}) {
        LocalTensor<T> filled = in.template AllocTensor<T>();
        DataCopyPad(filled, Global<T>(input), whole, unpadded);
        in.EnQue(filled);
    }
    LocalTensor<T> left = in.template DeQue<T>();
    LocalTensor<T> right = in.template DeQue<T>();
    LocalTensor<T> computed = out.template AllocTensor<T>();
    compute(computed, left, right);
    in.FreeTensor(left);
    in.FreeTensor(right);
    out.EnQue(computed);
    computed = out.template DeQue<T>();
    DataCopyPad(Global<T>(result), computed, whole);
    out.FreeTensor(computed);
}

}  // namespace

// params: the count.
#define ADD_KERNEL(T)                                                                 \
    TEST_KERNEL(add_##T) {                                                            \
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);                               \
        const int32_t count = Param(params, 0);                                       \
        Elementwise<T>(first, second, result, count,                                  \
                       [count](auto out, auto a, auto b) { Add(out, a, b, count); }); \
    }

ADD_KERNEL(float)
ADD_KERNEL(half)
ADD_KERNEL(int32_t)
ADD_KERNEL(int16_t)

// In place, as an accumulator is. params: the count.
TEST_KERNEL(add_in_place) {
    const int32_t count = Param(params, 0);
    Elementwise<float>(first, second, result, count, [count](auto out, auto a, auto b) {
        Add(a, a, b, count);
        Adds(out, a, 0.0f, count);
    });
}

// params: the count. The scalars are the elements at index 0 of the second input.
#define SCALAR_KERNEL(Function, T)                                                       \
    TEST_KERNEL(Function##_##T) {                                                        \
        const int32_t count = Param(params, 0);                                          \
        Elementwise<T>(first, second, result, count, [count](auto out, auto a, auto b) { \
            Function(out, a, b.GetValue(0), count);                                      \
        });                                                                              \
    }

SCALAR_KERNEL(Adds, float)
SCALAR_KERNEL(Adds, half)
SCALAR_KERNEL(Adds, int32_t)
SCALAR_KERNEL(Muls, float)
SCALAR_KERNEL(Muls, half)
SCALAR_KERNEL(Muls, int16_t)

namespace {

__aicore__ inline BinaryRepeatParams Strides(GM_ADDR params, int from) {
    return {Param(params, from),     Param(params, from + 1), Param(params, from + 2),
            Param(params, from + 3), Param(params, from + 4), Param(params, from + 5)};
}

}  // namespace

// Over a result that holds -1 everywhere. params: count, two 64-bit mask words, repeats, 6 strides.
TEST_KERNEL(add_lanes) {
    const int32_t count = Param(params, 0);
    const auto* words = reinterpret_cast<uint32_t*>(params) + 1;
    const uint64_t mask[2] = {words[0] | uint64_t{words[1]} << 32,
                              words[2] | uint64_t{words[3]} << 32};
    const auto strides = Strides(params, 6);
    Elementwise<half>(first, second, result, count, [&](auto out, auto a, auto b) {
        Duplicate(out, half(-1.0f), count);
        Add(out, a, b, mask, Param(params, 5), strides);
    });
}

// The same with a mask that is a count of lanes, for each function that has the form.
// params: count, mask, repeats, destination and source block stride and repeat stride.
TEST_KERNEL(scalar_lanes) {
    const int32_t count = Param(params, 0);
    const auto mask = static_cast<uint64_t>(Param(params, 1));
    const UnaryRepeatParams strides{Param(params, 3), Param(params, 4), Param(params, 5),
                                    Param(params, 6)};
    Elementwise<int32_t>(first, second, result, count, [&](auto out, auto a, auto) {
        Duplicate(out, -1, count);
        Adds(out, a, 1000, mask, Param(params, 2), strides);
        Muls(out, out, 2, mask, 1, UnaryRepeatParams{});
    });
}

// params: count, mask, repeats, block stride, repeat stride.
TEST_KERNEL(duplicate_lanes) {
    const int32_t count = Param(params, 0);
    const auto mask = static_cast<uint64_t>(Param(params, 1));
    Elementwise<float>(first, second, result, count, [&](auto out, auto, auto) {
        Duplicate(out, -1.0f, count);
        Duplicate(out, 7.5f, mask, Param(params, 2), Param(params, 3), Param(params, 4));
    });
}

// params: count. Duplicates the element at index 0 of the first input.
#define DUPLICATE_KERNEL(T)                                                                        \
    TEST_KERNEL(duplicate_##T) {                                                                   \
        const int32_t count = Param(params, 0);                                                    \
        Elementwise<T>(first, second, result, count,                                               \
                       [count](auto out, auto a, auto) { Duplicate(out, a.GetValue(0), count); }); \
    }

DUPLICATE_KERNEL(float)
DUPLICATE_KERNEL(half)
DUPLICATE_KERNEL(bfloat16_t)
DUPLICATE_KERNEL(uint16_t)
DUPLICATE_KERNEL(uint32_t)

// The four scalar operations of half, four results per pair. params: the count of pairs.
TEST_KERNEL(half_operations) {
    const auto left = Global<half>(first);
    const auto right = Global<half>(second);
    const auto out = Global<half>(result);
    for (int32_t index = 0; index < Param(params, 0); ++index) {
        const half a = left.GetValue(index);
        const half b = right.GetValue(index);
        out.SetValue(4 * index, a + b);
        out.SetValue(4 * index + 1, a - b);
        out.SetValue(4 * index + 2, a * b);
        out.SetValue(4 * index + 3, a / b);
    }
}
