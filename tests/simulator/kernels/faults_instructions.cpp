// The smallest kernels that give an instruction an argument it does not take.
#include <stdexcept>

#include "test_kernel.h"

using namespace AscendC;

namespace {

// A tensor of 256 floats in UB, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    Frame() {
        pipe.InitBuffer(buffer, 1024);
        tensor = buffer.Get<float>();
    }
};

}  // namespace

TEST_MISTAKE(copies_to_an_unaligned_ub_address) {
    Frame frame;
    DataCopy(frame.tensor[right ? 8 : 4], Global<float>(first), 8);  // expect: copy-alignment
}

TEST_KERNEL(copies_out_of_an_unaligned_ub_address) {
    Frame frame;
    const DataCopyExtParams copy{1, 4, 0, 0, 0};
    DataCopyPad(Global<float>(result), frame.tensor[1], copy);  // expect: copy-alignment
}

TEST_KERNEL(copies_from_half_an_element) {
    Frame frame;
    DataCopy(frame.tensor, Global<float>(first + 2), 8);  // expect: copy-alignment
}

TEST_MISTAKE(copies_15_elements) {
    Frame frame;
    DataCopy(frame.tensor, Global<float>(first), right ? 16 : 15);  // expect: copy-rounded
}

TEST_KERNEL(copies_a_length_that_is_rounded_down) {
    Frame frame;
    Duplicate(frame.tensor, 0.0f, 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(frame.tensor, Global<float>(first), 15);  // expect: copy-rounded
    PipeBarrier<PIPE_ALL>();
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 16);
    }
}

TEST_KERNEL(truncates_a_block_length) {
    Frame frame;
    const uint32_t bytes = 65536 + 32;
    Duplicate(frame.tensor, 0.0f, 16);
    DataCopyParams copy;
    copy.blockLen = bytes;  // expect: field-truncated
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(frame.tensor, Global<float>(first), copy, DataCopyPadParams{});
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<float>(result), frame.tensor, 16);
}

TEST_KERNEL(truncates_a_block_length_in_braces) {
    const uint32_t bytes = 65536;
    const DataCopyParams copy{1, bytes, 0, 0};  // expect: field-truncated
    const auto out = Global<int32_t>(result);
    out.SetValue(0, copy.blockLen);
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
}

TEST_MISTAKE(truncates_a_sum) {
    DataCopyParams copy;
    copy.blockLen = right ? 65534 : 65535;
    copy.blockLen += 1;  // expect: field-truncated
}

TEST_KERNEL(copies_4096_blocks) {
    Frame frame;
    const DataCopyExtParams copy{4096, 4, 0, 0, 0};
    DataCopyPad(Global<float>(result), frame.tensor, copy);  // expect: argument-range
}

TEST_KERNEL(copies_a_block_of_2_mib) {
    Frame frame;
    const DataCopyExtParams copy{1, 2097152, 0, 0, 0};
    DataCopyPad(Global<float>(result), frame.tensor, copy);  // expect: argument-range
}

TEST_KERNEL(pads_more_than_32_bytes) {
    Frame frame;
    const DataCopyExtParams copy{1, 4, 0, 0, 0};
    const DataCopyPadExtParams<float> pad{true, 9, 0, 0.0f};
    DataCopyPad(frame.tensor, Global<float>(first), copy, pad);  // expect: argument-range
}

TEST_MISTAKE(masks_65_lanes) {
    Frame frame;
    const uint64_t mask = right ? 64 : 65;
    Duplicate(frame.tensor, 1.0f, mask, 1, 1, 8);  // expect: argument-range
}

TEST_KERNEL(counts_below_zero) {
    Frame frame;
    Duplicate(frame.tensor, 1.0f, -1);  // expect: argument-range
}

TEST_MISTAKE(repeats_256_times) {
    Frame frame;
    const uint64_t mask = 64;
    const int32_t repeats = right ? 4 : 256;
    Add(frame.tensor, frame.tensor, frame.tensor, mask, repeats, {});  // expect: repeat-limit
}

TEST_MISTAKE(adds_at_an_unaligned_address) {
    Frame frame;
    Add(frame.tensor, frame.tensor[right ? 8 : 1], frame.tensor, 8);  // expect: operand-alignment
}

TEST_MISTAKE(adds_over_its_own_operand) {
    Frame frame;
    Adds(frame.tensor[right ? 16 : 8], frame.tensor, 1.0f, 16);  // expect: operand-overlap
}

TEST_KERNEL(adds_below_its_own_operand) {
    Frame frame;
    Adds(frame.tensor, frame.tensor[8], 1.0f, 16);  // expect: operand-overlap
}

TEST_KERNEL(widens_from_the_lower_half) {
    Frame frame;
    const auto narrow = frame.tensor.ReinterpretCast<half>();
    Cast(frame.tensor, narrow, RoundMode::CAST_NONE, 256);  // expect: operand-overlap
}

TEST_KERNEL(widens_from_too_low) {
    Frame frame;
    const auto narrow = frame.tensor.ReinterpretCast<half>()[240];
    Cast(frame.tensor, narrow, RoundMode::CAST_NONE, 256);  // expect: operand-overlap
}

TEST_KERNEL(repeats_over_its_own_operand) {
    Frame frame;
    const auto dst = frame.tensor[8];
    const uint64_t mask = 56;
    Adds(dst, frame.tensor, 1.0f, mask, 2, UnaryRepeatParams{});  // expect: operand-overlap
}

TEST_KERNEL(repeats_over_what_the_next_repeat_reads) {
    Frame frame;
    const auto dst = frame.tensor[64];
    const uint64_t mask = 64;
    Adds(dst, frame.tensor, 1.0f, mask, 3, UnaryRepeatParams{});  // expect: operand-overlap
}

TEST_KERNEL(repeats_in_place_over_half_of_the_next_repeat) {
    Frame frame;
    const auto in = frame.tensor;
    const uint64_t mask = 64;
    Adds(in, in, 1.0f, mask, 2, UnaryRepeatParams{1, 1, 4, 4});  // expect: operand-overlap
}

TEST_KERNEL(widens_from_the_lower_half_in_repeats) {
    Frame frame;
    const auto narrow = frame.tensor.ReinterpretCast<half>();
    const UnaryRepeatParams strides{1, 1, 8, 4};
    const uint64_t mask = 64;
    Cast(frame.tensor, narrow, RoundMode::CAST_NONE, mask, 4, strides);  // expect: operand-overlap
}

TEST_KERNEL(reads_a_scalar_between_two_elements) {
    Frame frame;
    const auto odd = frame.tensor.ReinterpretCast<uint8_t>()[2].ReinterpretCast<float>();
    odd.GetValue(0);  // expect: operand-alignment
}

TEST_KERNEL(writes_a_scalar_between_two_elements_of_global_memory) {
    Global<int32_t>(result + 2).SetValue(0, 1);  // expect: operand-alignment
}

TEST_KERNEL(adds_elements_of_half_an_address) {
    Frame frame;
    Duplicate(frame.tensor, 0.0f, 8);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    const DataCopyExtParams copy{1, 4, 0, 0, 0};
    DataCopyPad(Global<float>(result + 2), frame.tensor, copy);  // expect: copy-alignment
}

TEST_MISTAKE(copies_part_of_an_element) {
    Frame frame;
    const uint32_t bytes = right ? 8 : 6;
    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(frame.tensor, Global<float>(first), copy, {});  // expect: argument-range
}

TEST_MISTAKE(pads_64_bits_with_1) {
    Frame frame;
    const DataCopyExtParams copy{1, 8, 0, 0, 0};
    const DataCopyPadExtParams<int64_t> pad{true, 0, 1, right ? 0 : 1};
    const auto wide = frame.tensor.ReinterpretCast<int64_t>();
    DataCopyPad(wide, Global<int64_t>(first), copy, pad);  // expect: argument-range
}

TEST_MISTAKE(merges_lists_at_8_bytes) {
    Frame frame;
    Duplicate(frame.tensor, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    const uint16_t lengths[4] = {1, 1, 0, 0};
    const auto second_list = frame.tensor[right ? 8 : 2];
    const MrgSortSrcList lists(frame.tensor, second_list, frame.tensor, frame.tensor);
    MrgSort<float>(frame.tensor[64], lists, {lengths, false, 3, 1});  // expect: merge-alignment
}

TEST_KERNEL(sums_no_lane) {
    Frame frame;
    const uint64_t mask = 0;
    ReduceSum(frame.tensor, frame.tensor, frame.tensor, mask, 1, 8);  // expect: argument-range
}

TEST_MISTAKE(copies_no_block) {
    Frame frame;
    const DataCopyExtParams copy{right ? 1 : 0, 32, 0, 0, 0};
    Duplicate(frame.tensor, 0.0f, 8);
    PipeBarrier<PIPE_ALL>();
    const auto row = Global<float>(result)[8 * GetBlockIdx()];
    DataCopyPad(row, frame.tensor, copy);  // expect: copy-empty
}

TEST_KERNEL(copies_blocks_of_nothing) {
    Frame frame;
    const DataCopyParams copy{1, 0, 0, 0};
    DataCopy(frame.tensor, Global<float>(first), copy);  // expect: copy-empty
}

TEST_MISTAKE(narrows_to_bfloat16_without_a_mode) {
    Frame frame;
    const auto narrow = frame.tensor.ReinterpretCast<bfloat16_t>();
    const auto mode = right ? RoundMode::CAST_RINT : RoundMode::CAST_NONE;
    Cast(narrow, frame.tensor, mode, 8);  // expect: cast-mode
}

TEST_KERNEL(throws_an_exception) { throw std::runtime_error("of its own"); }

TEST_KERNEL(throws_a_number) { throw 7; }
