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
