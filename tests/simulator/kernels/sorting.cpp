// Sorting of pairs: 32 at once, all of them, and merges.
#include "staged.h"

using namespace AscendC;

// First: scores. Second: indices. Result: pairs. params: the repeats.
#define SORT(T)                                                                                \
    STAGED_KERNEL(Sort32_##T) {                                                                \
        Sort32(stage.Out<T>(), stage.First<T>(), stage.Second<uint32_t>(), Param(params, 0));  \
    }                                                                                          \
    STAGED_KERNEL(MrgSort_##T) {                                                               \
        const auto lists = stage.First<T>();                                                   \
        const uint16_t lengths[4] = {                                                          \
            static_cast<uint16_t>(Param(params, 0)), static_cast<uint16_t>(Param(params, 1)),  \
            static_cast<uint16_t>(Param(params, 2)), static_cast<uint16_t>(Param(params, 3))}; \
        uint32_t start[4] = {};                                                                \
        for (int list = 1; list < 4; ++list) {                                                 \
            const uint32_t before = GetSortOffset<T>(lengths[list - 1]);                       \
            start[list] = start[list - 1] + AlignUp(before, 32 / sizeof(T));                   \
        }                                                                                      \
        const MrgSortSrcList<T> sources(lists[start[0]], lists[start[1]], lists[start[2]],     \
                                        lists[start[3]]);                                      \
        const MrgSort4Info info(lengths, Param(params, 4) != 0,                                \
                                static_cast<uint16_t>(Param(params, 5)),                       \
                                static_cast<uint16_t>(Param(params, 6)));                      \
        MrgSort(stage.Out<T>(), sources, info);                                                \
    }
SORT(half)
SORT(float)

// Values and indices of all sorted scores, through Concat, Sort and Extract; the result has the
// scores, then the indices. params: the repeats.
#define FULL_SORT(T)                                                                              \
    STAGED_KERNEL(Sort_##T) {                                                                     \
        const uint32_t count = Param(params, 0) * 32;                                             \
        const auto pairs = stage.Work<T>()[0];                                                    \
        LocalTensor<T> concat;                                                                    \
        Concat(concat, stage.First<T>(), pairs, Param(params, 0));                                \
        Sort<T, true>(pairs, concat, stage.Second<uint32_t>(), pairs[GetSortLen<T>(count)],       \
                      Param(params, 0));                                                          \
        PipeBarrier<PIPE_V>();                                                                    \
        const auto indices = stage.Out<uint8_t>()[count * sizeof(T)].ReinterpretCast<uint32_t>(); \
        Extract(stage.Out<T>(), indices, pairs, Param(params, 0));                                \
    }
FULL_SORT(half)
FULL_SORT(float)

// A merge that stops when the first list ends; the result has the pairs taken from each list, by
// the two ways of asking. First: three lists of 8 floats' pairs.
STAGED_KERNEL(MrgSort_tells_what_it_took) {
    const auto lists = stage.First<float>();
    const uint16_t lengths[4] = {8, 8, 8, 0};
    uint32_t taken[4] = {};
    MrgSort<float, true>(stage.Work<float>(), MrgSortSrcList(lists, lists[16], lists[32], lists),
                         lengths, taken, 0b111, 1);
    uint16_t told[4] = {};
    GetMrgSortResult(told[0], told[1], told[2], told[3]);
    for (uint32_t list = 0; list < 4; ++list) {
        stage.Out<uint32_t>().SetValue(list, taken[list]);
        stage.Out<uint32_t>().SetValue(4 + list, told[list]);
    }
}
