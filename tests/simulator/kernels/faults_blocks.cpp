// The smallest kernels whose blocks touch the same bytes of global memory, at the line of the block
// that runs later.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// Eight zeros in UB, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    Frame() {
        pipe.InitBuffer(buffer, 32);
        tensor = buffer.Get<float>();
        Duplicate(tensor, 0.0f, 8);
        PipeBarrier<PIPE_ALL>();
    }
};

}  // namespace

// Each block has one row of 32 bytes, and the mistaken one writes four bytes of the next.
TEST_MISTAKE(writes_into_the_row_of_the_next_block) {
    Frame frame;
    const uint16_t rows = right ? 1 : 2;
    const DataCopyExtParams copy{rows, 4, 0, 28, 0};
    TBuf<> two;
    frame.pipe.InitBuffer(two, 64);
    Duplicate(two.Get<float>(), 0.0f, 16);
    PipeBarrier<PIPE_ALL>();
    const auto row = Global<float>(result)[8 * GetBlockIdx()];
    DataCopyPad(row, two.Get<float>(), copy);  // expect: race
}

TEST_MISTAKE(writes_one_place_from_every_block) {
    Frame frame;
    const int64_t place = right ? 8 * GetBlockIdx() : 0;
    DataCopy(Global<float>(result)[place], frame.tensor, 8);  // expect: race
}

// The first block writes what the second one reads: a race in either order.
TEST_MISTAKE(reads_what_another_block_writes) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 8);
    } else {
        const int64_t place = right ? 8 * GetBlockIdx() : 0;
        DataCopy(frame.tensor, Global<float>(result)[place], 8);  // expect: race
    }
}

TEST_MISTAKE(writes_what_another_block_reads) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(frame.tensor, Global<float>(result), 8);
    } else {
        const int64_t place = right ? 8 * GetBlockIdx() : 0;
        DataCopy(Global<float>(result)[place], frame.tensor, 8);  // expect: race
    }
}

// Both blocks read, the one that runs last also writes: it meets the other's read behind its own.
TEST_MISTAKE(writes_what_all_blocks_read) {
    Frame frame;
    const int64_t place = right ? 8 * GetBlockIdx() : 0;
    DataCopy(frame.tensor, Global<float>(result)[place], 8);
    PipeBarrier<PIPE_ALL>();
    if (GetBlockIdx() == 1) {
        DataCopy(Global<float>(result)[place], frame.tensor, 8);  // expect: race
    }
}

TEST_MISTAKE(counts_in_one_scalar_from_every_block) {
    const auto counter = Global<int32_t>(result);
    const int64_t place = right ? 16 * GetBlockIdx() : 0;
    counter.SetValue(place, 1);  // expect: race
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(counter);
}

// The neighbour's result of the first phase, read in the second: the neighbour runs later, and is
// found as it writes what was read already.
TEST_MISTAKE(reads_its_neighbour_without_waiting_for_it) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    Frame frame;
    const auto all = Global<float>(result);
    const int64_t neighbour = (GetBlockIdx() + 1) % GetBlockNum();
    DataCopy(all[8 * GetBlockIdx()], frame.tensor, 8);  // expect: race
    if constexpr (right) {
        SyncAll();
    } else {
        PipeBarrier<PIPE_ALL>();
    }
    DataCopy(frame.tensor, all[8 * neighbour], 8);
}

// What is read in the second phase is written again in the same one.
TEST_MISTAKE(waits_before_the_wrong_phase) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    Frame frame;
    const auto all = Global<float>(result);
    DataCopy(all[8 * GetBlockIdx()], frame.tensor, 8);
    SyncAll();
    const int64_t neighbour = (GetBlockIdx() + 1) % GetBlockNum();
    DataCopy(frame.tensor, all[8 * neighbour], 8);  // expect: race
    if constexpr (right) {
        SyncAll();
    } else {
        PipeBarrier<PIPE_ALL>();
    }
    DataCopy(all[8 * GetBlockIdx()], frame.tensor, 8);
}
