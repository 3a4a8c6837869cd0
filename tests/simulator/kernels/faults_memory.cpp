// The smallest kernels that break a rule of memory; each line that does says which.
#include <limits>

#include "test_kernel.h"

using namespace AscendC;

TEST_MISTAKE(allocates_more_than_ub) {
    TPipe pipe;
    TBuf<> half_of_it;
    TBuf<> other_half;
    pipe.InitBuffer(half_of_it, 98304);
    pipe.InitBuffer(other_half, right ? 98048 : 98336);  // expect: ub-capacity
}

TEST_KERNEL(live_pipes_together_exceed_ub) {
    TPipe first_pipe;
    TPipe second_pipe;
    TBuf<> small;
    TBuf<> large;
    first_pipe.InitBuffer(small, 131072);
    second_pipe.InitBuffer(large, 131072);  // expect: ub-capacity
}

TEST_MISTAKE(fills_ub_beyond_the_tiling_budget) {
    TPipe pipe;
    TBuf<> all;
    pipe.InitBuffer(all, right ? 196352 : 196608);  // expect: ub-budget
}

TEST_KERNEL(second_pipe_shadows_the_first) {
    TPipe first_pipe;
    TBuf<> one;
    first_pipe.InitBuffer(one, 64);
    const LocalTensor<int32_t> before = one.Get<int32_t>();
    before.SetValue(0, 1);
    TPipe second_pipe;
    TBuf<> two;
    second_pipe.InitBuffer(two, 64);  // expect: ub-overlap
    two.Get<int32_t>().SetValue(0, 2);
    const auto out = Global<int32_t>(result);
    out.SetValue(0, before.GetValue(0));
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
}

TEST_MISTAKE(allocates_beside_a_live_pipe) {
    TPipe first_pipe;
    TBuf<> one;
    first_pipe.InitBuffer(one, 64);
    if constexpr (right) {
        first_pipe.Destroy();
    }
    TPipe second_pipe;
    TBuf<> two;
    second_pipe.InitBuffer(two, 64);  // expect: ub-overlap
}

TEST_MISTAKE(initialises_65_buffers) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> many;
    TBuf<> one_more;
    pipe.InitBuffer(many, right ? 63 : 64, 32);
    pipe.InitBuffer(one_more, 32);  // expect: buffer-limit
}

TEST_KERNEL(initialises_an_empty_buffer) {
    TPipe pipe;
    TBuf<> empty;
    pipe.InitBuffer(empty, 0);  // expect: argument-range
}

TEST_KERNEL(allocates_from_a_destroyed_pipe) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.Destroy();
    pipe.InitBuffer(buffer, 32);  // expect: pipe-state
}

TEST_MISTAKE(uses_a_tensor_of_a_destroyed_pipe) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<float> tensor = buffer.Get<float>();
    if constexpr (!right) {
        pipe.Destroy();
    }
    tensor.SetValue(0, 1.0f);  // expect: pipe-state
}

TEST_KERNEL(asks_for_a_pipe_that_is_gone) {
    {
        TPipe pipe;
    }
    GetTPipePtr();  // expect: pipe-state
}

TEST_KERNEL(reads_past_its_buffer) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    buffer.Get<float>().GetValue(16);  // expect: ub-out-of-bounds
}

TEST_KERNEL(views_past_its_buffer) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    const LocalTensor<float> whole = buffer.Get<float>();
    const LocalTensor<float> end = whole[16];
    end[1];  // expect: ub-out-of-bounds
}

TEST_KERNEL(gets_more_than_its_buffer) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    buffer.GetWithOffset<float>(9, 32);  // expect: ub-out-of-bounds
}

TEST_MISTAKE(adds_past_its_buffer) {
    TPipe pipe;
    TBuf<> buffer;
    TBuf<> neighbour;
    pipe.InitBuffer(buffer, 64);
    pipe.InitBuffer(neighbour, 64);
    const LocalTensor<float> tensor = buffer.Get<float>();
    Add(tensor, tensor, tensor, right ? 16 : 17);  // expect: ub-out-of-bounds
}

TEST_KERNEL(repeats_past_its_buffer) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 512);
    const LocalTensor<float> tensor = buffer.Get<float>();
    const auto full = static_cast<uint64_t>(64);
    Adds(tensor, tensor, 1.0f, full, 3, UnaryRepeatParams{});  // expect: ub-out-of-bounds
}

TEST_KERNEL(copies_a_tail_past_its_buffer) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    const LocalTensor<int8_t> tensor = buffer.Get<int8_t>();
    const DataCopyExtParams copy{2, 33, 0, 0, 0};
    const DataCopyPadExtParams<int8_t> pad{false, 0, 0, 0};
    DataCopyPad(tensor, Global<int8_t>(first), copy, pad);  // expect: ub-out-of-bounds
}

TEST_KERNEL(copies_past_the_end_of_ub) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 196352);
    const LocalTensor<int8_t> end = buffer.Get<int8_t>()[196320];
    const DataCopyExtParams copy{1, 320, 0, 0, 0};
    const DataCopyPadExtParams<int8_t> pad{false, 0, 0, 0};
    DataCopyPad(end, Global<int8_t>(first), copy, pad);  // expect: ub-out-of-bounds
}

TEST_KERNEL(reads_past_its_region) {
    Global<int32_t>(first).GetValue(256);  // expect: gm-out-of-bounds
}

TEST_KERNEL(reads_before_every_region) {
    const auto low = reinterpret_cast<GM_ADDR>(4 * GetBlockNum());
    Global<int32_t>(low).GetValue(0);  // expect: gm-out-of-bounds
}

TEST_MISTAKE(copies_past_its_region) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    const auto source = Global<float>(first)[right ? 248 : 252];
    DataCopy(buffer.Get<float>(), source, 8);  // expect: gm-out-of-bounds
}

TEST_KERNEL(copies_a_last_block_past_its_region) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 128);
    Duplicate(buffer.Get<float>(), 0.0f, 32);
    PipeBarrier<PIPE_ALL>();
    const DataCopyExtParams copy{3, 4, 0, 508, 0};
    DataCopyPad(Global<float>(result), buffer.Get<float>(), copy);  // expect: gm-out-of-bounds
}

TEST_KERNEL(reads_past_the_size_of_its_tensor) {
    GlobalTensor<int32_t> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(first), 8);
    tensor[4].GetValue(4);  // expect: gm-out-of-bounds
}

TEST_KERNEL(writes_an_input) {
    Global<int32_t>(first).SetValue(0, 1);  // expect: gm-read-only
}

TEST_MISTAKE(copies_into_an_input) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    Duplicate(buffer.Get<float>(), 0.0f, 8);
    PipeBarrier<PIPE_ALL>();
    const auto row = Global<float>(right ? result : second)[8 * GetBlockIdx()];
    DataCopy(row, buffer.Get<float>(), 8);  // expect: gm-read-only
}

TEST_KERNEL(reads_where_a_32_bit_offset_wraps) {
    const auto wrapped = static_cast<uint64_t>(std::numeric_limits<int32_t>::min());
    Global<float>(first)[wrapped].GetValue(0);  // expect: gm-out-of-bounds
}

// 2^62 floats are 2^64 bytes, which would be the first again.
TEST_KERNEL(indexes_beyond_64_bits_of_bytes) {
    Global<float>(first)[uint64_t{1} << 62].GetValue(0);  // expect: gm-out-of-bounds
}
