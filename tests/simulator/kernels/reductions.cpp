// Reductions of repeats, blocks, pairs and whole tensors.
#include "staged.h"

using namespace AscendC;

// params: mask words, repeats, dstRepStride, srcBlkStride, srcRepStride.
#define WHOLE(Name, T, ...)                                                                    \
    STAGED_KERNEL(Name##_##T) {                                                                \
        const MaskWords mask(params, 0);                                                       \
        Name(stage.Out<T>(), stage.First<T>(), mask.words, Param(params, 4), Param(params, 5), \
             Param(params, 6), Param(params, 7));                                              \
    }
#define GROUPS(Name, T)                                                                        \
    STAGED_KERNEL(Name##_##T) {                                                                \
        const MaskWords mask(params, 0);                                                       \
        Name(stage.Out<T>(), stage.First<T>(), Param(params, 4), mask.words, Param(params, 5), \
             Param(params, 6), Param(params, 7));                                              \
    }
#define BOTH(Define, Name) Define(Name, half) Define(Name, float)

BOTH(WHOLE, WholeReduceSum)
BOTH(WHOLE, WholeReduceMax)
BOTH(WHOLE, WholeReduceMin)
BOTH(GROUPS, BlockReduceSum)
BOTH(GROUPS, BlockReduceMax)
BOTH(GROUPS, BlockReduceMin)
BOTH(GROUPS, PairReduceSum)

// params: mask, repeats, the order, dstRepStride.
#define ORDERED(T)                                                                           \
    STAGED_KERNEL(WholeReduceMax_ordered_##T) {                                              \
        WholeReduceMax(stage.Out<T>(), stage.First<T>(), Param(params, 0), Param(params, 1), \
                       Param(params, 3), 1, 8, static_cast<ReduceOrder>(Param(params, 2)));  \
    }
ORDERED(half)
ORDERED(float)

// The sums of 8 repeats into the first 8 elements of their own operand, by the mask register.
STAGED_KERNEL(WholeReduceSum_in_place) {
    SetVectorMask<float>(64);
    WholeReduceSum<float, false>(stage.Out<float>(), stage.Out<float>(), MASK_PLACEHOLDER, 8, 1, 1,
                                 8);
    ResetMask();
}

// params: the count.
#define ALL(Name, T)                                                                          \
    STAGED_KERNEL(Name##_##T##_count) {                                                       \
        Name(stage.Out<T>(), stage.First<T>(), stage.Work<T>(), Param(params, 0));            \
    }                                                                                         \
    STAGED_KERNEL(Name##_##T##_lanes) {                                                       \
        const MaskWords mask(params, 0);                                                      \
        Name(stage.Out<T>(), stage.First<T>(), stage.Work<T>(), mask.words, Param(params, 4), \
             Param(params, 5));                                                               \
    }
BOTH(ALL, ReduceSum)

#define ALL_WITH_INDEX(Name, T)                                                               \
    STAGED_KERNEL(Name##_##T##_count) {                                                       \
        Name(stage.Out<T>(), stage.First<T>(), stage.Work<T>(), Param(params, 0),             \
             Param(params, 1) != 0);                                                          \
    }                                                                                         \
    STAGED_KERNEL(Name##_##T##_lanes) {                                                       \
        const MaskWords mask(params, 0);                                                      \
        Name(stage.Out<T>(), stage.First<T>(), stage.Work<T>(), mask.words, Param(params, 4), \
             Param(params, 5), true);                                                         \
    }
BOTH(ALL_WITH_INDEX, ReduceMax)
BOTH(ALL_WITH_INDEX, ReduceMin)

// The working space may be the operand itself.
STAGED_KERNEL(ReduceMax_works_in_its_operand) {
    ReduceMax(stage.Work<float>(), stage.Out<float>(), stage.Out<float>(), 256, true);
    PipeBarrier<PIPE_V>();
    DataCopy(stage.Out<float>(), stage.Work<float>(), 8);
}
