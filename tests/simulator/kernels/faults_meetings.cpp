// The smallest kernels that misuse SyncAll or an atomic mode.
#include "test_kernel.h"

using namespace AscendC;

// Block 1 of 2 has nothing to do.
TEST_MISTAKE(returns_before_the_others_meet) {
    if (!right && GetBlockIdx() == 1) {
        return;
    }
    SyncAll();  // expect: sync-deadlock in 2 blocks
}

TEST_KERNEL(meets_once_more_than_the_others) {
    SyncAll();
    if (GetBlockIdx() == 1) {
        SyncAll();  // expect: sync-deadlock in 3 blocks
    }
}

TEST_KERNEL(meets_with_more_blocks_than_cores) {
    SyncAll();  // expect: sync-setup in 49 blocks
}

TEST_MISTAKE(meets_by_hardware_in_a_vector_kernel) {
    KERNEL_TASK_TYPE_DEFAULT(right ? KERNEL_TYPE_MIX_AIV_1_0 : KERNEL_TYPE_AIV_ONLY);
    SyncAll();  // expect: sync-setup
}

TEST_KERNEL(meets_in_a_workspace_that_is_not_zero) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    Global<int32_t>(result).SetValue(0, 7);
    SyncAll(Global<int32_t>(result), buffer.Get<int32_t>());  // expect: sync-setup
}

TEST_KERNEL(meets_with_too_little_ub) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const auto ub = buffer.Get<int32_t>();
    SyncAll(Global<int32_t>(result), ub);  // expect: ub-out-of-bounds in 2 blocks
}

TEST_KERNEL(meets_among_more_blocks_than_there_are) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    SyncAll(Global<int32_t>(result), buffer.Get<int32_t>(), 2);  // expect: argument-range
}

TEST_MISTAKE(leaves_an_atomic_mode_set) {
    SetAtomicAdd<float>();  // expect: atomic-left-set
    if constexpr (right) {
        SetAtomicNone();
    }
}

TEST_KERNEL(adds_halves_as_floats) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<half> values = buffer.Get<half>();
    Duplicate(values, half(1), 16);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    DataCopy(Global<half>(result), values, 16);  // expect: argument-range
}
