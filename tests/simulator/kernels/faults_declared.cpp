// What the larger functions tell the checks: the smallest kernels that use one of them without the
// order it needs, or store what it could not define.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// 1024 floats in UB, of which the first `defined` are 1, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    LocalTensor<uint32_t> numbers;  // the last 256 elements
    explicit Frame(int32_t defined) {
        pipe.InitBuffer(buffer, 4096);
        tensor = buffer.Get<float>();
        numbers = tensor[768].ReinterpretCast<uint32_t>();
        Duplicate(tensor, 1.0f, defined);
        PipeBarrier<PIPE_ALL>();
    }
};

// Each block stores in its own 64 floats.
__aicore__ inline GlobalTensor<float> Own(GM_ADDR result) {
    return Global<float>(result)[64 * GetBlockIdx()];
}

constexpr uint64_t kAll = 64;

template <pipe_t pipe, bool right>
__aicore__ inline void BarrierIf() {
    if constexpr (right) {
        PipeBarrier<pipe>();
    }
}

}  // namespace

TEST_MISTAKE(merges_what_is_still_being_sorted) {
    Frame frame(1024);
    const uint16_t lengths[4] = {32, 32, 0, 0};
    const auto pairs = frame.tensor[256];
    const MrgSortSrcList lists(pairs, pairs[64], pairs, pairs);
    Sort32(pairs, frame.tensor, frame.numbers, 2);
    BarrierIf<PIPE_V, right>();
    const MrgSort4Info info(lengths, false, 3, 1);
    MrgSort(frame.tensor[512], lists, info);  // expect: barrier-missing
}

TEST_MISTAKE(takes_apart_what_is_still_being_merged) {
    Frame frame(1024);
    const uint16_t lengths[4] = {16, 16, 0, 0};
    const auto pairs = frame.tensor[256];
    const MrgSortSrcList lists(frame.tensor, frame.tensor[32], pairs, pairs);
    MrgSort(pairs, lists, {lengths, false, 3, 1});
    BarrierIf<PIPE_V, right>();
    Extract(frame.tensor[512], frame.numbers, pairs, 1);  // expect: barrier-missing
}

TEST_MISTAKE(reads_a_sum_that_is_still_being_computed) {
    Frame frame(1024);
    ReduceSum(frame.tensor, frame.tensor[64], frame.tensor[512], 64);
    BarrierIf<PIPE_ALL, right>();
    frame.tensor.GetValue(0);  // expect: sync-scalar
}

TEST_MISTAKE(gathers_by_offsets_that_are_still_being_computed) {
    Frame frame(1024);
    const auto offsets = frame.numbers.ReinterpretCast<int32_t>();
    CreateVecIndex(offsets, 0, 8u);
    PipeBarrier<PIPE_V>();
    ShiftLeft(offsets, offsets, 2, 8);
    BarrierIf<PIPE_V, right>();
    Gather(frame.tensor, frame.tensor[64], frame.numbers, 0u, 8u);  // expect: barrier-missing
}

TEST_MISTAKE(gathers_from_what_is_still_being_copied) {
    Frame frame(1024);
    Duplicate(frame.numbers, 128u, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(frame.tensor[right ? 64 : 32], Global<float>(first), 8);
    Gather(frame.tensor[128], frame.tensor, frame.numbers, 0u, 8u);  // expect: sync-missing
}

TEST_MISTAKE(copies_inside_ub_what_is_still_being_copied_in) {
    Frame frame(1024);
    DataCopy(frame.tensor, Global<float>(first), 8);
    BarrierIf<PIPE_ALL, right>();
    DataCopy(frame.tensor[64], frame.tensor, 8);  // expect: sync-missing
}

// The repeats of a reduction are independent: only the second one sums undefined elements.
TEST_MISTAKE(stores_the_sum_of_an_undefined_repeat) {
    Frame frame(70);
    WholeReduceSum(frame.tensor[512], frame.tensor, kAll, 2, 1, 1, 8);
    PipeBarrier<PIPE_ALL>();
    const uint32_t bytes = right ? 4 : 8;
    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(Own(result), frame.tensor[512], copy);  // expect: uninitialised-store
}

// So are the runs of 32 that Sort32 sorts.
TEST_MISTAKE(stores_a_run_that_was_sorted_with_undefined_scores) {
    Frame frame(50);
    Duplicate(frame.numbers, 7u, 64);
    PipeBarrier<PIPE_ALL>();
    Sort32(frame.tensor[512], frame.tensor, frame.numbers, 2);
    PipeBarrier<PIPE_ALL>();
    const auto run = frame.tensor[right ? 512 : 576];
    DataCopy(Own(result), run, 64);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_the_working_space_of_a_sort) {
    Frame frame(1024);
    const auto work = frame.tensor[256];
    Sort<float, true>(frame.tensor[512], frame.tensor, frame.numbers, work, 1);
    PipeBarrier<PIPE_ALL>();
    const auto stored = right ? frame.tensor[512] : work;
    DataCopy(Own(result), stored, 64);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_the_working_space_of_a_maximum) {
    Frame frame(1024);
    const auto work = frame.tensor[256];
    ReduceMax(frame.tensor[512], frame.tensor, work, 256);
    PipeBarrier<PIPE_ALL>();
    const DataCopyExtParams copy{1, 4, 0, 0, 0};
    const auto stored = right ? frame.tensor[512] : work;
    DataCopyPad(Own(result), stored, copy);  // expect: uninitialised-store
}

// What lies beyond the elements that were kept is what was there before.
TEST_MISTAKE(stores_more_than_a_pattern_has_kept) {
    Frame frame(128);
    uint64_t kept = 0;
    GatherMask(frame.tensor[512], frame.tensor, 1, false, 0, {1, 1, 8, 0}, kept);
    PipeBarrier<PIPE_ALL>();
    const auto bytes = static_cast<uint32_t>(4 * kept + (right ? 0 : 4));
    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(Own(result), frame.tensor[512], copy);  // expect: uninitialised-store
}

// The pattern chooses among defined elements, though all of the repeat are looked at.
TEST_MISTAKE(gathers_an_undefined_element_by_pattern) {
    Frame frame(60);
    uint64_t kept = 0;
    GatherMask(frame.tensor[512], frame.tensor, 3, false, 0, {1, 1, 8, 0}, kept);
    PipeBarrier<PIPE_ALL>();
    const uint32_t bytes = right ? 60 : 64;
    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(Own(result), frame.tensor[512], copy);  // expect: uninitialised-store
}

// A value that nobody merged.
TEST_MISTAKE(stores_beyond_the_end_of_a_merge) {
    Frame frame(256);
    const uint16_t lengths[4] = {8, 8, 0, 0};
    uint16_t taken[4];
    const MrgSortSrcList lists(frame.tensor, frame.tensor[16], frame.tensor, frame.tensor);
    MrgSort<float>(frame.tensor[512], lists, {lengths, true, 3, 1});
    PipeBarrier<PIPE_ALL>();
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
    const uint32_t pairs = uint32_t{taken[0]} + taken[1] + (right ? 0 : 1);
    const DataCopyExtParams copy{1, 8 * pairs, 0, 0, 0};
    DataCopyPad(Own(result), frame.tensor[512], copy);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_a_block_of_an_undefined_element) {
    Frame frame(5);
    Brcb(frame.tensor[512], frame.tensor, 1, BrcbRepeatParams{});
    PipeBarrier<PIPE_ALL>();
    const auto block = frame.tensor[right ? 544 : 552];
    DataCopy(Own(result), block, 8);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_bits_of_undefined_elements) {
    Frame frame(63);
    const auto bits = frame.numbers.ReinterpretCast<uint8_t>();
    CompareScalar(bits, frame.tensor, 0.0f, CMPMODE::GT, 64u);
    PipeBarrier<PIPE_ALL>();
    const uint32_t bytes = right ? 7 : 8;
    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    const auto own = Global<uint8_t>(result)[64 * GetBlockIdx()];
    DataCopyPad(own, bits, copy);  // expect: uninitialised-store
}
