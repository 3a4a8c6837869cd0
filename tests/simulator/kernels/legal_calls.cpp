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
