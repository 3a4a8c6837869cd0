// The smallest kernels that let a byte escape which nothing has defined.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// 64 floats in UB, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    Frame() {
        pipe.InitBuffer(buffer, 256);
        tensor = buffer.Get<float>();
    }
};

// Each block stores in its own 64 floats.
__aicore__ inline GlobalTensor<float> Own(GM_ADDR result) {
    return Global<float>(result)[64 * GetBlockIdx()];
}

// Pads by one element that nothing defines, nor what follows up to 32 bytes.
const DataCopyPadExtParams<float> kUnfilled{false, 0, 1, 0.0f};

}  // namespace

TEST_MISTAKE(stores_a_fresh_buffer) {
    Frame frame;
    if constexpr (right) {
        Duplicate(frame.tensor, 0.0f, 64);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(Own(result), frame.tensor, 64);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_one_element_too_many) {
    Frame frame;
    Duplicate(frame.tensor, 0.0f, 7);
    PipeBarrier<PIPE_ALL>();
    const uint32_t bytes = right ? 28 : 32;
    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(Own(result), frame.tensor, copy);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_the_padding_of_a_tail) {
    Frame frame;
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    const DataCopyPadExtParams<float> pad{right, 0, 3, 0.0f};
    DataCopyPad(frame.tensor, Global<float>(first), copy, pad);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Own(result), frame.tensor, 8);  // expect: uninitialised-store
}

// A block without padding is filled up with its first element, but what isPad makes of it is open.
TEST_MISTAKE(stores_the_filler_of_a_tail) {
    Frame frame;
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    const DataCopyPadExtParams<float> pad{!right, 0, 0, 0.0f};
    DataCopyPad(frame.tensor, Global<float>(first), copy, pad);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Own(result), frame.tensor, 8);  // expect: uninitialised-store
}

// The sum of a row and a padded one: the padding reaches the output through the instruction.
TEST_MISTAKE(stores_a_sum_with_padding) {
    Frame frame;
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    DataCopyPad(frame.tensor, Global<float>(first), copy, kUnfilled);
    Duplicate(frame.tensor[8], 1.0f, 8);
    PipeBarrier<PIPE_ALL>();
    Add(frame.tensor[16], frame.tensor, frame.tensor[8], 8);
    PipeBarrier<PIPE_ALL>();
    const uint32_t bytes = right ? 20 : 24;
    const DataCopyExtParams out{1, bytes, 0, 0, 0};
    DataCopyPad(Own(result), frame.tensor[16], out);  // expect: uninitialised-store
}

TEST_MISTAKE(stores_the_narrowed_padding_of_a_tail) {
    Frame frame;
    const LocalTensor<half> narrow = frame.tensor[32].ReinterpretCast<half>();
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    DataCopyPad(frame.tensor, Global<float>(first), copy, kUnfilled);
    PipeBarrier<PIPE_ALL>();
    Cast(narrow, frame.tensor, RoundMode::CAST_RINT, 8);
    PipeBarrier<PIPE_ALL>();
    const uint32_t bytes = right ? 10 : 12;
    const DataCopyExtParams out{1, bytes, 0, 0, 0};
    const auto own = Global<half>(result)[64 * GetBlockIdx()];
    DataCopyPad(own, narrow, out);  // expect: uninitialised-store
}

// The second tile is shorter, and what the first one left behind it is stored again.
TEST_MISTAKE(stores_what_an_earlier_tile_left) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 64);
    for (uint32_t tile = 0; tile < 2; ++tile) {
        const uint32_t loaded = tile == 0 ? 16 : 8;
        const uint32_t stored = right ? loaded : 16;
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        DataCopy(tensor, Global<float>(first), loaded);
        queue.EnQue(tensor);
        tensor = queue.DeQue<float>();
        DataCopy(Own(result)[16 * tile], tensor, stored);  // expect: uninitialised-store
        queue.FreeTensor(tensor);
    }
}

TEST_MISTAKE(reads_a_scalar_of_a_fresh_buffer) {
    Frame frame;
    if constexpr (right) {
        frame.tensor.SetValue(3, 1.0f);
    }
    frame.tensor.GetValue(3);  // expect: uninitialised-read
}

TEST_MISTAKE(reads_a_scalar_behind_a_tail) {
    Frame frame;
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    DataCopyPad(frame.tensor, Global<float>(first), copy, kUnfilled);
    PipeBarrier<PIPE_ALL>();
    frame.tensor.GetValue(right ? 4 : 5);  // expect: uninitialised-read
}
