// The smallest kernels whose scalars in global memory do not leave the data cache of their core, or
// come from an old copy there, at the line that meets them.
#include "test_kernel.h"

using namespace AscendC;

namespace {

constexpr int64_t kLine = 16;  // elements of 4 bytes in a line of the cache

// Eight zeros in UB, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<int32_t> tensor;
    Frame() {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
        pipe.InitBuffer(buffer, 32);
        tensor = buffer.Get<int32_t>();
        Duplicate(tensor, 0, 8);
        PipeBarrier<PIPE_ALL>();
    }
};

void WriteBack(const GlobalTensor<int32_t>& tensor) {
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(tensor);
}

}  // namespace

TEST_MISTAKE(copies_in_a_scalar_that_is_still_cached) {
    Frame frame;
    const auto own = Global<int32_t>(result)[kLine * GetBlockIdx()];
    own.SetValue(0, 1);
    if constexpr (right) {
        WriteBack(own);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(frame.tensor, own, 8);  // expect: cache-unflushed
    WriteBack(own);
}

TEST_MISTAKE(copies_over_a_scalar_that_is_still_cached) {
    Frame frame;
    const auto own = Global<int32_t>(result)[kLine * GetBlockIdx()];
    own.SetValue(0, 1);
    if constexpr (right) {
        WriteBack(own);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(own, frame.tensor, 8);  // expect: cache-unflushed
    WriteBack(own);
}

// SyncAll orders the blocks, and moves nothing out of their caches.
TEST_MISTAKE(reads_a_scalar_that_another_block_still_caches) {
    Frame frame;
    const auto count = Global<int32_t>(result);
    if (GetBlockIdx() == 0) {
        count.SetValue(0, 1);
        if constexpr (right) {
            WriteBack(count);
        }
    }
    SyncAll();
    if (GetBlockIdx() != 0) {
        count.GetValue(0);  // expect: cache-unflushed in 2 blocks
    }
    WriteBack(count);
}

// A line is written back from the address on that is given.
TEST_MISTAKE(writes_back_the_second_half_of_a_line) {
    Frame frame;
    const auto own = Global<int32_t>(result)[kLine * GetBlockIdx()];
    own.SetValue(0, 1);
    own.SetValue(8, 1);
    WriteBack(own[right ? 0 : 8]);
    PipeBarrier<PIPE_ALL>();
    DataCopy(frame.tensor, own, 8);  // expect: cache-unflushed
}

TEST_MISTAKE(reads_a_scalar_again_after_a_copy_over_it) {
    Frame frame;
    const auto own = Global<int32_t>(result)[kLine * GetBlockIdx()];
    own.GetValue(3);
    PipeBarrier<PIPE_ALL>();
    DataCopy(own, frame.tensor, 8);
    PipeBarrier<PIPE_ALL>();
    if constexpr (right) {
        WriteBack(own);
    }
    own.GetValue(4);  // expect: cache-stale
}

// Whoever has looked at a line before the others wrote it goes on seeing what it was.
TEST_MISTAKE(reads_an_old_copy_of_what_another_block_has_written) {
    Frame frame;
    const auto count = Global<int32_t>(result);
    count.GetValue(0);
    SyncAll();
    if (GetBlockIdx() == 0) {
        count.SetValue(0, 1);
    }
    if constexpr (right) {
        DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(count);
    } else if (GetBlockIdx() == 0) {
        DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(count);
    }
    SyncAll();
    count.GetValue(0);  // expect: cache-stale in 2 blocks
}

// The old copy of the neighbours would go back with the scalar.
TEST_MISTAKE(writes_into_an_old_copy_of_a_line) {
    Frame frame;
    const auto own = Global<int32_t>(result)[kLine * GetBlockIdx()];
    own.GetValue(0);
    PipeBarrier<PIPE_ALL>();
    DataCopy(own, frame.tensor, 8);
    PipeBarrier<PIPE_ALL>();
    if constexpr (right) {
        WriteBack(own);
    }
    own.SetValue(8, 1);  // expect: cache-stale
    WriteBack(own);
}

// A line goes back whole: of two blocks that write into it, one loses.
TEST_MISTAKE(counts_side_by_side_in_one_line) {
    const auto own = Global<int32_t>(result)[(right ? kLine : 1) * GetBlockIdx()];
    own.SetValue(0, 1);  // expect: cache-line-shared in 2 blocks
    WriteBack(own);
}

TEST_MISTAKE(copies_beside_a_scalar_of_another_block) {
    Frame frame;
    const auto own = Global<int32_t>(result)[(right ? kLine : 8) * GetBlockIdx()];
    if (GetBlockIdx() == 0) {
        own.SetValue(0, 1);
        WriteBack(own);
    } else {
        DataCopy(own, frame.tensor, 8);  // expect: cache-line-shared in 2 blocks
    }
}

TEST_MISTAKE(writes_a_scalar_beside_a_copy_of_another_block) {
    Frame frame;
    const auto own = Global<int32_t>(result)[(right ? kLine : 8) * GetBlockIdx()];
    if (GetBlockIdx() == 0) {
        DataCopy(own, frame.tensor, 8);
    } else {
        own.SetValue(0, 1);  // expect: cache-line-shared in 2 blocks
        WriteBack(own);
    }
}

TEST_MISTAKE(leaves_a_scalar_in_the_cache) {
    const auto own = Global<int32_t>(result)[kLine * GetBlockIdx()];
    own.SetValue(0, 1);  // expect: cache-left-dirty
    if constexpr (right) {
        WriteBack(own);
    }
}
