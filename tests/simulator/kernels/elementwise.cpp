// Functions that compute each element from those at its place, by count and by repeats.
#include "staged.h"

using namespace AscendC;

namespace {

// params: mask words, repeats, strides.
__aicore__ inline BinaryRepeatParams BinaryStrides(GM_ADDR params) {
    return {Param(params, 5), Param(params, 6), Param(params, 7),
            Param(params, 8), Param(params, 9), Param(params, 10)};
}
__aicore__ inline UnaryRepeatParams UnaryStrides(GM_ADDR params) {
    return {Param(params, 5), Param(params, 6), Param(params, 7), Param(params, 8)};
}

}  // namespace

// params: the count.
#define BINARY(Name, T)                                                                         \
    STAGED_KERNEL(Name##_##T##_count) {                                                         \
        Name(stage.Out<T>(), stage.First<T>(), stage.Second<T>(), Param(params, 0));            \
    }                                                                                           \
    STAGED_KERNEL(Name##_##T##_lanes) {                                                         \
        const MaskWords mask(params, 0);                                                        \
        Name(stage.Out<T>(), stage.First<T>(), stage.Second<T>(), mask.words, Param(params, 4), \
             BinaryStrides(params));                                                            \
    }

// The scalar is the first element of the second input, which the scalar unit reads.
#define SCALAR(Name, T)                                                                          \
    STAGED_KERNEL(Name##_##T##_count) {                                                          \
        Name(stage.Out<T>(), stage.First<T>(), stage.Second<T>().GetValue(0), Param(params, 0)); \
    }                                                                                            \
    STAGED_KERNEL(Name##_##T##_lanes) {                                                          \
        const MaskWords mask(params, 0);                                                         \
        Name(stage.Out<T>(), stage.First<T>(), stage.Second<T>().GetValue(0), mask.words,        \
             Param(params, 4), UnaryStrides(params));                                            \
    }

#define UNARY(Name, T)                                                       \
    STAGED_KERNEL(Name##_##T##_count) {                                      \
        Name(stage.Out<T>(), stage.First<T>(), Param(params, 0));            \
    }                                                                        \
    STAGED_KERNEL(Name##_##T##_lanes) {                                      \
        const MaskWords mask(params, 0);                                     \
        Name(stage.Out<T>(), stage.First<T>(), mask.words, Param(params, 4), \
             UnaryStrides(params));                                          \
    }

#define ARITHMETIC(Define, Name) \
    Define(Name, half) Define(Name, float) Define(Name, int16_t) Define(Name, int32_t)

ARITHMETIC(BINARY, Add)
ARITHMETIC(BINARY, Sub)
ARITHMETIC(BINARY, Mul)
ARITHMETIC(BINARY, Max)
ARITHMETIC(BINARY, Min)
BINARY(Div, half)
BINARY(Div, float)
BINARY(And, int16_t)
BINARY(And, uint16_t)
BINARY(Or, uint16_t)
ARITHMETIC(SCALAR, Adds)
ARITHMETIC(SCALAR, Muls)
ARITHMETIC(SCALAR, Maxs)
ARITHMETIC(SCALAR, Mins)
SCALAR(ShiftLeft, int16_t)
SCALAR(ShiftLeft, uint16_t)
SCALAR(ShiftLeft, int32_t)
SCALAR(ShiftLeft, uint32_t)
UNARY(Abs, half)
UNARY(Abs, float)
UNARY(Exp, half)
UNARY(Exp, float)
UNARY(Ln, half)
UNARY(Ln, float)
UNARY(Sqrt, half)
UNARY(Sqrt, float)
UNARY(Rsqrt, half)
UNARY(Rsqrt, float)
UNARY(Not, int16_t)
UNARY(Not, uint16_t)
UNARY(Reciprocal, half)
UNARY(Reciprocal, float)

// Copy of int16_t by a mask. params: as for one operand, with repeat sizes for repeat strides.
STAGED_KERNEL(Copy_int16_t_lanes) {
    const MaskWords mask(params, 0);
    Copy(stage.Out<int16_t>(), stage.First<int16_t>(), mask.words, Param(params, 4),
         {Param(params, 5), Param(params, 6), Param(params, 7), Param(params, 8)});
}

// The mask register instead of a mask of the call. params: mask words, repeats, 6 strides.
STAGED_KERNEL(Add_by_sticky_mask) {
    const MaskWords mask(params, 0);
    SetMaskNorm();
    SetVectorMask<half, MaskMode::NORMAL>(mask.words[1], mask.words[0]);
    Add<half, false>(stage.Out<half>(), stage.First<half>(), stage.Second<half>(), MASK_PLACEHOLDER,
                     Param(params, 4), BinaryStrides(params));
    ResetMask();
}

// The first lanes of each repeat by the register, then all of them again. params: lanes.
STAGED_KERNEL(Adds_by_sticky_length) {
    SetVectorMask<int32_t>(Param(params, 0));
    Adds<int32_t, false>(stage.Out<int32_t>(), stage.First<int32_t>(), 1, MASK_PLACEHOLDER, 2,
                         UnaryRepeatParams{});
    ResetMask();
    Adds<int32_t, false>(stage.Out<int32_t>()[128], stage.First<int32_t>(), 2, MASK_PLACEHOLDER, 1,
                         UnaryRepeatParams{});
}

// Counter mode: a mask is the number of elements, from the register, then from the call. params:
// the count, and 6 strides from 5 on.
STAGED_KERNEL(Add_in_counter_mode) {
    SetMaskCount();
    SetVectorMask<half, MaskMode::COUNTER>(Param(params, 0));
    Add<half, false>(stage.Out<half>(), stage.First<half>(), stage.Second<half>(), MASK_PLACEHOLDER,
                     1, BinaryStrides(params));
    SetMaskNorm();
    ResetMask();
}
STAGED_KERNEL(Add_of_a_counted_mask) {
    SetMaskCount();
    const auto count = static_cast<uint64_t>(Param(params, 0));
    Add(stage.Out<half>(), stage.First<half>(), stage.Second<half>(), count, 1,
        BinaryStrides(params));
    SetMaskNorm();
}
STAGED_KERNEL(Muls_of_a_sticky_count) {
    SetVectorMask<half, MaskMode::COUNTER>(0, Param(params, 0));
    Muls<half, false>(stage.Out<half>(), stage.First<half>(), half(3), 1);
    ResetMask();
}

// bfloat16_t to float and back by the scalar unit. params: the count.
TEST_KERNEL(scalar_bfloat16) {
    for (int32_t index = 0; index < Param(params, 0); ++index) {
        const float doubled = 2 * ToFloat(Global<bfloat16_t>(first).GetValue(index));
        Global<bfloat16_t>(result).SetValue(index, ToBfloat16(doubled));
    }
}
