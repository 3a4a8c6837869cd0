// Calls that the interface documents and that a check might refuse by mistake.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// A tensor of 512 floats in UB, each 1, alive as long as the frame.
struct Ones {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    Ones() {
        pipe.InitBuffer(buffer, 2048);
        tensor = buffer.Get<float>();
        Duplicate(tensor, 1.0f, 512);
    }
};

}  // namespace

// Eight repeats into one: dst and src1 have a repeat stride of 0.
TEST_KERNEL(accumulates_repeats) {
    Ones ones;
    const uint64_t mask = 64;
    Add(ones.tensor, ones.tensor[64], ones.tensor, mask, 7, {1, 1, 1, 0, 8, 0});
    DataCopy(Global<float>(result), ones.tensor, 64);
}

// In place, and from blocks between those that are written.
TEST_KERNEL(repeats_beside_its_operand) {
    Ones ones;
    const uint64_t mask = 64;
    Adds(ones.tensor, ones.tensor, 1.0f, mask, 8, UnaryRepeatParams{});
    Adds(ones.tensor, ones.tensor[8], 1.0f, mask, 4, UnaryRepeatParams{2, 2, 16, 16});
    DataCopy(Global<float>(result), ones.tensor, 512);
}

// Narrowing in place, and back from the upper half.
TEST_KERNEL(casts_in_place_in_repeats) {
    Ones ones;
    const uint64_t mask = 64;
    const auto lower = ones.tensor.ReinterpretCast<half>();
    const auto upper = lower[512];
    Cast(lower, ones.tensor, RoundMode::CAST_RINT, mask, 8, UnaryRepeatParams{1, 1, 4, 8});
    Adds(upper, lower, half(1.0f), 512);
    Cast(ones.tensor, upper, RoundMode::CAST_NONE, mask, 8, UnaryRepeatParams{1, 1, 8, 4});
    DataCopy(Global<float>(result), ones.tensor, 512);
}

// Operands of 32 bits have 64 lanes at most: their mask may be one word, at the end of its memory.
TEST_KERNEL(masks_with_one_word) {
    Ones ones;
    const uint64_t mask[1] = {0xFFFF};
    Adds(ones.tensor, ones.tensor, 1.0f, mask, 1, {1, 1, 8, 8});
    Duplicate<float, true>(ones.tensor[16], 3.0f, mask, 1, 1, 8);
    DataCopy(Global<float>(result), ones.tensor, 64);
}

// half converts as the device's built-in type does.
TEST_KERNEL(computes_with_half) {
    const half one = 1.0f;
    half sum = 2;
    sum += one;
    const auto out = Global<float>(result);
    out.SetValue(0, sum);
    out.SetValue(1, sum * 0.5f);
    out.SetValue(2, sum + 1);
    out.SetValue(3, one < sum ? 1.0f : 0.0f);
    out.SetValue(4, static_cast<float>(static_cast<int32_t>(half(2.75))));
    // 2049 is no half: with a float it is one, with an integer it is rounded first.
    out.SetValue(5, half(1) * 2049.0f);
    out.SetValue(6, half(1) * 2049);
    out.SetValue(7, -one);
}

// Fields are computed with, and elements are reached with (index).
TEST_KERNEL(counts_with_fields_and_elements) {
    Ones ones;
    DataCopyParams copy;
    copy.blockLen += 2;
    copy.blockLen *= 3;
    copy.blockLen -= 4;
    copy.blockLen /= 2;
    ones.tensor(0) = 5.0f;
    ones.tensor(1) = ones.tensor(0);
    const float sum = ones.tensor(1) + ones.tensor(2);
    ones.tensor(2) = sum;
    DataCopy(Global<float>(result), ones.tensor, copy);
}

// From and to any byte of global memory: five floats from byte 1 on.
TEST_KERNEL(pads_from_any_byte_to_any_byte) {
    Ones ones;
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    DataCopyPad(ones.tensor, Global<float>(first + 1), copy, {});
    DataCopyPad(Global<float>(result + 3), ones.tensor, copy);
}

// A block of no length is nothing, with or without padding.
TEST_KERNEL(pads_a_block_of_nothing) {
    Ones ones;
    const DataCopyPadExtParams<float> pad{true, 2, 3, 5.0f};
    DataCopyPad(ones.tensor, Global<float>(first), {1, 0, 0, 0, 0}, pad);
    DataCopy(Global<float>(result), ones.tensor, 64);
}

// An empty mask, of the call or in the register, leaves every result as it is.
TEST_KERNEL(reduces_nothing) {
    Ones ones;
    const LocalTensor<float> to = ones.tensor;
    const LocalTensor<float> from = ones.tensor[64];
    const uint64_t all = 64;
    ReduceSum(to, from, from, 0);
    ReduceSum(to, from, from, all, 0, 8);
    ReduceMax(to, from, from, 0, true);
    ReduceMin(to, from, from, all, 0, 8, true);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<float>(result), to, 64);
}

TEST_KERNEL(masks_no_lane) {
    Ones ones;
    const uint64_t none = 0;
    const uint64_t bits[2] = {0, 0};
    const LocalTensor<float> to = ones.tensor;
    const LocalTensor<float> from = ones.tensor[64];
    Duplicate(to, 5.0f, bits, 1, 1, 8);
    Adds(to, from, 5.0f, none, 2, UnaryRepeatParams{});
    Add(to, from, from, bits, 2, {1, 1, 1, 8, 8, 8});
    WholeReduceSum(to, from, none, 2, 1, 1, 8);
    WholeReduceMax(to, from, bits, 2, 1, 1, 8);
    BlockReduceSum(to, from, 1, bits, 1, 1, 8);
    Copy(to, from, none, 1, {1, 1, 8, 8});
    Cast(to.ReinterpretCast<int32_t>(), from, RoundMode::CAST_RINT, none, 1, UnaryRepeatParams{});
    SetVectorMask<float>(0);
    Muls<float, false>(to, from, 5.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams{});
    ResetMask();
    DataCopy(Global<float>(result), to, 64);
}

// Lists at multiples of 8 bytes, and a merge that repeats 0 times.
TEST_KERNEL(merges_lists_wherever_pairs_begin) {
    Ones ones;
    const LocalTensor<float> pairs = ones.tensor;
    for (uint32_t pair = 0; pair < 4; ++pair) {
        pairs.SetValue(2 * pair, pair % 2 == 0 ? 4.0f : 3.0f);
        pairs.SetValue(2 * pair + 1, static_cast<float>(pair));
    }
    const uint16_t lengths[4] = {1, 1, 2, 0};
    const MrgSortSrcList lists(pairs, pairs[2], pairs[4], pairs);
    MrgSort<float>(pairs[16], lists, {lengths, false, 7, 1});
    MrgSort<float>(pairs[24], lists, {lengths, false, 7, 0});
    DataCopy(Global<float>(result), pairs[16], 16);
}

// A tensor's size is what GetSize answers, and no bound.
TEST_KERNEL(sets_the_size_of_a_tensor) {
    Ones ones;
    LocalTensor<float> tensor = ones.tensor;
    tensor.SetSize(3);
    Adds(tensor, tensor, 1.0f, 8);
    Duplicate(tensor[8], static_cast<float>(max(tensor.GetSize(), 2u) + min(7, 1)), 8);
    DataCopy(Global<float>(result), ones.tensor, 16);
}
