// Kernels whose blocks wait for each other or add into one place.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// Block b writes b + 1 to second[b], and after SyncAll the sum of all to result[b].
template <typename Sync>
__aicore__ inline void SumOfAll(GM_ADDR shared, GM_ADDR result, Sync sync) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32 * (GetBlockNum() + 1));
    const LocalTensor<int32_t> own = buffer.Get<int32_t>();
    const DataCopyExtParams one{1, 4, 0, 0, 0};
    Duplicate(own, static_cast<int32_t>(GetBlockIdx() + 1), 1);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(Global<int32_t>(shared)[GetBlockIdx()], own, one);
    PipeBarrier<PIPE_ALL>();
    sync(own[8]);
    int32_t sum = 0;
    for (int64_t block = 0; block < GetBlockNum(); ++block) {
        const auto part = own;
        DataCopyPad(part, Global<int32_t>(shared)[block], one, {false, 0, 0, 0});
        PipeBarrier<PIPE_ALL>();
        sum += part.GetValue(0);
        PipeBarrier<PIPE_ALL>();
    }
    Duplicate(own, sum, 1);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(Global<int32_t>(result)[GetBlockIdx()], own, one);
}

}  // namespace

// result: a number for each block, then the shared numbers.
TEST_KERNEL(sum_over_blocks) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    SumOfAll(result + 4 * GetBlockNum(), result, [](const auto&) { SyncAll(); });
}

// result: a number for each block, the shared numbers, then the flags from the next 32 bytes on.
TEST_KERNEL(sum_over_blocks_by_software) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GM_ADDR flags = result + AlignUp(8 * GetBlockNum(), 32);
    SumOfAll(result + 4 * GetBlockNum(), result,
             [&](const auto& ub) { SyncAll(Global<int32_t>(flags), ub); });
}

// Two rounds among the first two of four blocks. result: the order of arrival, flags from 32 on.
TEST_KERNEL(two_blocks_of_four_meet) {
    if (GetBlockIdx() >= 2) {
        return;
    }
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    for (int round = 0; round < 2; ++round) {
        SyncAll(Global<int32_t>(result + 32), buffer.Get<int32_t>(), 2);
    }
    Global<int32_t>(result).SetValue(GetBlockIdx(), 1);
}

namespace {

// All blocks combine the same values with what is in the result.
template <typename T, typename Set>
__aicore__ inline void CombineIntoResult(GM_ADDR first, GM_ADDR result, uint32_t count, Set set) {
    TPipe pipe;
    TBuf<> buffer;
    const auto bytes = static_cast<uint32_t>(count * sizeof(T));
    pipe.InitBuffer(buffer, bytes);
    const LocalTensor<T> values = buffer.Get<T>();
    const DataCopyExtParams whole{1, bytes, 0, 0, 0};
    DataCopyPad(values, Global<T>(first), whole, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
    PipeBarrier<PIPE_ALL>();
    set();
    DataCopyPad(Global<T>(result), values, whole);
    SetAtomicNone();
}

}  // namespace

// params: the count.
#define ATOMIC_KERNEL(name, T, Function)                                                         \
    TEST_KERNEL(atomic_##name) {                                                                 \
        CombineIntoResult<T>(first, result, Param(params, 0), [] { SetAtomic##Function<T>(); }); \
    }

ATOMIC_KERNEL(add_int32, int32_t, Add)
ATOMIC_KERNEL(add_int16, int16_t, Add)
ATOMIC_KERNEL(add_int8, int8_t, Add)
ATOMIC_KERNEL(add_half, half, Add)
ATOMIC_KERNEL(add_bfloat16, bfloat16_t, Add)
ATOMIC_KERNEL(add_float, float, Add)
ATOMIC_KERNEL(max_int32, int32_t, Max)
ATOMIC_KERNEL(max_float, float, Max)
ATOMIC_KERNEL(min_half, half, Min)

// Zeroes the result, and only then adds to it. params: the count, of all blocks together.
TEST_KERNEL(zero_then_add) {
    const auto out = Global<int32_t>(result);
    const auto count = static_cast<uint32_t>(Param(params, 0));
    TPipe pipe;
    if (GetBlockIdx() == 0) {
        GlobalTensor<int32_t> all = out;
        InitGlobalMemory(all, count, 0);
    }
    SyncAll();
    TBuf<> buffer;
    pipe.InitBuffer(buffer, count * sizeof(int32_t));
    const LocalTensor<int32_t> values = buffer.Get<int32_t>();
    Duplicate(values, static_cast<int32_t>(GetBlockIdx() + 1), count);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<int32_t>();
    DataCopyPad(out, values, DataCopyExtParams{1, count * 4, 0, 0, 0});
    SetAtomicNone();
}
