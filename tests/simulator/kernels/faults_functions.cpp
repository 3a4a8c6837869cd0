// The smallest kernels that give one of the larger functions an argument it does not take.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// 512 floats in UB, each 1, alive as long as the frame.
struct Ones {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    LocalTensor<uint32_t> indices;
    Ones() {
        pipe.InitBuffer(buffer, 2048);
        tensor = buffer.Get<float>();
        indices = tensor[256].ReinterpretCast<uint32_t>();
        Duplicate(tensor, 1.0f, 512);
        PipeBarrier<PIPE_ALL>();
    }
};

constexpr uint64_t kAll = 64;

}  // namespace

TEST_KERNEL(sums_over_what_the_next_repeat_reads) {
    Ones ones;
    const auto in = ones.tensor;
    WholeReduceSum(in[64], in, kAll, 2, 1, 1, 8);  // expect: operand-overlap
}

TEST_KERNEL(sums_to_half_an_element) {
    Ones ones;
    const auto half_way = ones.tensor.ReinterpretCast<half>()[1].ReinterpretCast<float>();
    WholeReduceSum(half_way, ones.tensor[64], kAll, 1, 1, 1, 8);  // expect: operand-alignment
}

TEST_KERNEL(sums_with_a_stride_below_zero) {
    Ones ones;
    const auto in = ones.tensor;
    WholeReduceSum(in, in[64], kAll, 1, -1, 1, 8);  // expect: argument-range
}

TEST_KERNEL(finds_a_maximum_in_too_little_working_space) {
    Ones ones;
    const auto work = ones.tensor[504];
    ReduceMax(ones.tensor, ones.tensor, work, 320, true);  // expect: ub-out-of-bounds
}

TEST_KERNEL(sums_less_than_nothing) {
    Ones ones;
    ReduceSum(ones.tensor, ones.tensor, ones.tensor, -1);  // expect: argument-range
}

TEST_KERNEL(sums_rows_without_padding) {
    Ones ones;
    const uint32_t shape[2] = {2, 9};
    const auto to = ones.tensor[256];
    ReduceSum<float, Pattern::Reduce::AR>(to, ones.tensor, shape, false);  // expect: argument-range
}

TEST_KERNEL(sums_an_axis_into_its_own_rows) {
    Ones ones;
    const uint32_t shape[2] = {2, 9};
    const auto to = ones.tensor[16];
    ReduceSum<float, Pattern::Reduce::RA>(to, ones.tensor, shape, true);  // expect: operand-overlap
}

TEST_KERNEL(stores_a_source_that_was_reused) {
    Ones ones;
    const uint32_t shape[2] = {1, 8};
    ReduceSum<float, Pattern::Reduce::AR, true>(ones.tensor[64], ones.tensor, shape, true);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<float>(result), ones.tensor, 8);  // expect: uninitialised-store
}

TEST_KERNEL(broadcasts_two_columns) {
    Ones ones;
    const uint32_t from[2] = {4, 2};
    const uint32_t to[2] = {4, 8};
    const auto wide = ones.tensor[64];
    Broadcast<float, 2, 1>(wide, ones.tensor, to, from);  // expect: argument-range
}

TEST_KERNEL(broadcasts_a_row_of_part_of_a_block) {
    Ones ones;
    const uint32_t from[2] = {1, 9};
    const uint32_t to[2] = {4, 9};
    const auto wide = ones.tensor[64];
    Broadcast<float, 2, 0>(wide, ones.tensor, to, from);  // expect: argument-range
}

TEST_KERNEL(counts_down) {
    Ones ones;
    Arange(ones.tensor, 0.0f, -1.0f, 8);  // expect: argument-range
}

TEST_KERNEL(sorts_over_its_scores) {
    Ones ones;
    Sort32(ones.tensor, ones.tensor, ones.indices, 1);  // expect: operand-overlap
}

TEST_KERNEL(sorts_8192_scores) {
    Ones ones;
    Sort32(ones.tensor, ones.tensor, ones.indices, 256);  // expect: repeat-limit
}

TEST_KERNEL(merges_one_list) {
    Ones ones;
    const uint16_t lengths[4] = {8, 0, 0, 0};
    const MrgSortSrcList lists(ones.tensor, ones.tensor, ones.tensor, ones.tensor);
    const MrgSort4Info info(lengths, false, 1, 1);
    MrgSort(ones.tensor[256], lists, info);  // expect: argument-range
}

TEST_KERNEL(merges_a_list_of_4096) {
    Ones ones;
    const uint16_t lengths[4] = {4096, 1, 0, 0};
    const MrgSortSrcList lists(ones.tensor, ones.tensor, ones.tensor, ones.tensor);
    const MrgSort4Info info(lengths, false, 3, 1);
    MrgSort(ones.tensor[256], lists, info);  // expect: argument-range
}

TEST_KERNEL(merges_into_its_lists) {
    Ones ones;
    const uint16_t lengths[4] = {4, 4, 0, 0};
    const MrgSortSrcList lists(ones.tensor, ones.tensor[8], ones.tensor, ones.tensor);
    const MrgSort4Info info(lengths, false, 3, 1);
    MrgSort(ones.tensor[8], lists, info);  // expect: operand-overlap
}

TEST_KERNEL(repeats_a_merge_of_lists_apart) {
    Ones ones;
    const uint16_t lengths[4] = {4, 4, 4, 4};
    const MrgSortSrcList lists(ones.tensor, ones.tensor[16], ones.tensor[32], ones.tensor[48]);
    const MrgSort4Info info(lengths, false, 15, 2);
    MrgSort(ones.tensor[256], lists, info);  // expect: argument-range
}

TEST_KERNEL(gathers_beyond_its_operand) {
    Ones ones;
    Duplicate(ones.indices, 2048u, 8);
    PipeBarrier<PIPE_ALL>();
    Gather(ones.tensor, ones.tensor[8], ones.indices, 0u, 8u);  // expect: ub-out-of-bounds
}

TEST_KERNEL(gathers_between_two_elements) {
    Ones ones;
    Duplicate(ones.indices, 2u, 8);
    PipeBarrier<PIPE_ALL>();
    Gather(ones.tensor, ones.tensor[8], ones.indices, 0u, 8u);  // expect: operand-alignment
}

TEST_KERNEL(gathers_by_pattern_8) {
    Ones ones;
    uint64_t count = 0;
    const GatherMaskParams strides(1, 1, 8, 0);
    const auto in = ones.tensor;
    GatherMask(in[64], in, 8, false, 0, strides, count);  // expect: argument-range
}

TEST_KERNEL(gathers_no_element_by_count) {
    Ones ones;
    uint64_t count = 0;
    const GatherMaskParams strides(1, 1, 8, 0);
    const auto in = ones.tensor;
    GatherMask(in[64], in, 7, true, 0, strides, count);  // expect: argument-range
}

TEST_KERNEL(compares_half_a_repeat) {
    Ones ones;
    const auto bits = ones.indices.ReinterpretCast<uint8_t>();
    CompareScalar(bits, ones.tensor, 1.0f, CMPMODE::GT, 32u);  // expect: argument-range
}

TEST_KERNEL(compares_integers_for_more_than_equality) {
    Ones ones;
    const auto bits = ones.indices.ReinterpretCast<uint8_t>();
    const auto numbers = ones.tensor.ReinterpretCast<int32_t>();
    CompareScalar(bits, numbers, 1, CMPMODE::GE, 64u);  // expect: argument-range
}

TEST_KERNEL(selects_a_tensor_in_the_mode_of_scalars) {
    Ones ones;
    const auto mode = SELMODE::VSEL_TENSOR_SCALAR_MODE;
    const auto in = ones.tensor;
    Select(in, ones.indices, in, in, mode, 8u);  // expect: argument-range
}

TEST_KERNEL(spreads_over_its_operand) {
    Ones ones;
    Brcb(ones.tensor, ones.tensor, 1, BrcbRepeatParams{});  // expect: operand-overlap
}

TEST_KERNEL(copies_with_a_repeat_size_of_4096) {
    Ones ones;
    const CopyRepeatParams strides(1, 1, 4096, 8);
    Copy(ones.tensor, ones.tensor[64], kAll, 1, strides);  // expect: argument-range
}

TEST_KERNEL(counts_with_bits) {
    Ones ones;
    const uint64_t bits[1] = {3};
    const auto in = ones.tensor;
    SetMaskCount();
    Add(in, in, in, bits, 1, BinaryRepeatParams{});  // expect: argument-range
}

TEST_KERNEL(numbers_nothing) {
    Ones ones;
    ArithProgression(ones.tensor, 0.0f, 1.0f, 0);  // expect: argument-range
}

TEST_KERNEL(sets_a_mask_of_65_lanes) {
    SetVectorMask<float>(65);  // expect: argument-range
}
