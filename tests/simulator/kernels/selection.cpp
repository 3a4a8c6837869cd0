// Functions that choose, find, compare, number and move elements.
#include "staged.h"

using namespace AscendC;

// First: elements. Second: byte offsets. params: base, count.
#define GATHER(T)                                                                                 \
    STAGED_KERNEL(Gather_##T##_count) {                                                           \
        Gather(stage.Out<T>(), stage.First<T>(), stage.Second<uint32_t>(),                        \
               static_cast<uint32_t>(Param(params, 0)), static_cast<uint32_t>(Param(params, 1))); \
    }
GATHER(half)
GATHER(bfloat16_t)
GATHER(int16_t)
GATHER(uint16_t)
GATHER(int32_t)
GATHER(uint32_t)
GATHER(float)

// params: mask words, repeats, dstRepStride.
STAGED_KERNEL(Gather_half_lanes) {
    const MaskWords mask(params, 0);
    Gather(stage.Out<half>(), stage.First<half>(), stage.Second<uint32_t>(), 4u, mask.words,
           Param(params, 4), Param(params, 5));
}

namespace {

__aicore__ inline GatherMaskParams MaskParams(GM_ADDR params, int from) {
    return {Param(params, from), Param(params, from + 1), Param(params, from + 2),
            Param(params, from + 3)};
}

// The count behind the elements, at the end of the result.
template <typename T>
__aicore__ inline void StoreCount(const LocalTensor<T>& out, uint32_t bytes, uint64_t count) {
    PipeBarrier<PIPE_ALL>();
    out.template ReinterpretCast<uint32_t>().SetValue(bytes / 4, static_cast<uint32_t>(count));
}

}  // namespace

// Second: the pattern. params: bytes of elements, counter mode, mask, 4 parameters.
#define GATHER_MASK(T, U)                                                                      \
    STAGED_KERNEL(GatherMask_##T) {                                                            \
        uint64_t count = 0;                                                                    \
        GatherMask(stage.Out<T>(), stage.First<T>(), stage.Second<U>(), Param(params, 1) != 0, \
                   static_cast<uint32_t>(Param(params, 2)), MaskParams(params, 3), count);     \
        StoreCount(stage.Out<T>(), static_cast<uint32_t>(Param(params, 0)), count);            \
    }
GATHER_MASK(half, uint16_t)
GATHER_MASK(int16_t, uint16_t)
GATHER_MASK(float, uint32_t)
GATHER_MASK(int32_t, uint32_t)

// params: as before, then the number of the pattern.
#define GATHER_PATTERN(T)                                                                    \
    STAGED_KERNEL(GatherMask_##T##_pattern) {                                                \
        uint64_t count = 0;                                                                  \
        GatherMask(stage.Out<T>(), stage.First<T>(), static_cast<uint8_t>(Param(params, 7)), \
                   Param(params, 1) != 0, static_cast<uint32_t>(Param(params, 2)),           \
                   MaskParams(params, 3), count);                                            \
        StoreCount(stage.Out<T>(), static_cast<uint32_t>(Param(params, 0)), count);          \
    }
GATHER_PATTERN(bfloat16_t)
GATHER_PATTERN(uint32_t)

// params: the mode, the count. The scalar is the first element of the second input.
#define COMPARE(T)                                                                                \
    STAGED_KERNEL(Compare_##T##_count) {                                                          \
        Compare(stage.Out<uint8_t>(), stage.First<T>(), stage.Second<T>(),                        \
                static_cast<CMPMODE>(Param(params, 0)), static_cast<uint32_t>(Param(params, 1))); \
    }                                                                                             \
    STAGED_KERNEL(CompareScalar_##T##_count) {                                                    \
        CompareScalar(stage.Out<uint8_t>(), stage.First<T>(), stage.Second<T>().GetValue(0),      \
                      static_cast<CMPMODE>(Param(params, 0)),                                     \
                      static_cast<uint32_t>(Param(params, 1)));                                   \
    }
COMPARE(half)
COMPARE(float)
COMPARE(int32_t)

// Repeats, with blocks 2 apart. params: the mode, the repeats.
STAGED_KERNEL(Compare_float_lanes) {
    Compare(stage.Out<uint8_t>(), stage.First<float>(), stage.Second<float>(),
            static_cast<CMPMODE>(Param(params, 0)), uint64_t{64}, Param(params, 1),
            {1, 2, 1, 8, 16, 8});
}
STAGED_KERNEL(CompareScalar_half_lanes) {
    CompareScalar(stage.Out<uint8_t>(), stage.First<half>(), stage.Second<half>().GetValue(0),
                  static_cast<CMPMODE>(Param(params, 0)), uint64_t{128}, Param(params, 1),
                  {1, 2, 8, 17});
}

// First: elements, then, from params[0] bytes on, those of the other operand. Second: the bits.
// params: bytes of the first operand, the mode, the count.
#define SELECT(T)                                                                                \
    STAGED_KERNEL(Select_##T##_count) {                                                          \
        const auto other = stage.First<uint8_t>()[Param(params, 0)].ReinterpretCast<T>();        \
        Select(stage.Out<T>(), stage.Second<uint8_t>(), stage.First<T>(), other,                 \
               static_cast<SELMODE>(Param(params, 1)), static_cast<uint32_t>(Param(params, 2))); \
    }                                                                                            \
    STAGED_KERNEL(Select_##T##_scalar) {                                                         \
        Select(stage.Out<T>(), stage.Second<uint32_t>(), stage.First<T>(), T(7),                 \
               SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(Param(params, 2)));       \
    }
SELECT(half)
SELECT(float)

// params: bytes of the first operand, the mode, mask words, repeats.
STAGED_KERNEL(Select_float_lanes) {
    const MaskWords mask(params, 2);
    const auto other = stage.First<uint8_t>()[Param(params, 0)].ReinterpretCast<float>();
    Select(stage.Out<float>(), stage.Second<uint16_t>(), stage.First<float>(), other,
           static_cast<SELMODE>(Param(params, 1)), mask.words, Param(params, 6),
           {1, 1, 1, 8, 8, 8});
}

// params: first, step, count.
#define PROGRESSION(T)                                                           \
    STAGED_KERNEL(ArithProgression_##T) {                                        \
        ArithProgression<T>(stage.Out<T>(), static_cast<T>(Param(params, 0)),    \
                            static_cast<T>(Param(params, 1)), Param(params, 2)); \
    }                                                                            \
    STAGED_KERNEL(Arange_##T) {                                                  \
        Arange<T>(stage.Out<T>(), static_cast<T>(Param(params, 0)),              \
                  static_cast<T>(Param(params, 1)), Param(params, 2));           \
    }                                                                            \
    STAGED_KERNEL(CreateVecIndex_##T) {                                          \
        CreateVecIndex(stage.Out<T>(), static_cast<T>(Param(params, 0)),         \
                       static_cast<uint32_t>(Param(params, 2)));                 \
    }
PROGRESSION(half)
PROGRESSION(float)
PROGRESSION(int16_t)
PROGRESSION(int32_t)

// params: mask words, repeats, dstBlkStride, dstRepStride.
STAGED_KERNEL(CreateVecIndex_lanes) {
    const MaskWords mask(params, 0);
    CreateVecIndex(stage.Out<int32_t>(), 100, mask.words, Param(params, 4), Param(params, 5),
                   Param(params, 6));
}

// params: repeats, dstBlkStride, dstRepStride.
#define BRCB(T)                                                  \
    STAGED_KERNEL(Brcb_##T) {                                    \
        Brcb(stage.Out<T>(), stage.First<T>(), Param(params, 0), \
             {Param(params, 1), Param(params, 2)});              \
    }
BRCB(half)
BRCB(int32_t)

// Inside UB. params: the count; or blocks, their length, and the two strides.
STAGED_KERNEL(DataCopy_in_ub) {
    DataCopy(stage.Out<int16_t>(), stage.First<int16_t>(), static_cast<uint32_t>(Param(params, 0)));
}
STAGED_KERNEL(DataCopy_in_ub_by_blocks) {
    const DataCopyParams copy(Param(params, 0), Param(params, 1), Param(params, 2),
                              Param(params, 3));
    DataCopy(stage.Out<uint8_t>(), stage.First<uint8_t>(), copy);
}
