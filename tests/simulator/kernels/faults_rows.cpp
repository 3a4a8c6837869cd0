// The smallest kernels that give a function on rows, on raw addresses or of assertion what it does
// not take.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// 512 floats in UB, each 1, and 2 KiB to work in; alive as long as the frame.
struct Ones {
    TPipe pipe;
    TBuf<> buffer;
    TBuf<> space;
    LocalTensor<float> tensor;
    Ones() {
        pipe.InitBuffer(buffer, 2048);
        pipe.InitBuffer(space, 2048);
        tensor = buffer.Get<float>();
        Duplicate(tensor, 1.0f, 512);
        PipeBarrier<PIPE_ALL>();
    }
};

// This block's part of the result.
__aicore__ inline GlobalTensor<float> Own(GM_ADDR result) {
    return Global<float>(result)[static_cast<uint64_t>(GetBlockIdx()) * 16];
}

constexpr SoftMaxTiling kTiling{};
constexpr TopkTiling kTopKTiling{};

}  // namespace

TEST_MISTAKE(asserts_what_is_not_so) {
    const int64_t blocks = GetBlockNum();
    ASSERT(blocks > 0);
    ASSERT((right || blocks > 100) && "more blocks");  // expect: assertion
}

TEST_MISTAKE(passes_over_an_index_below_0) {
    ASCENDSIM_UNREAD(!right, -1);  // expect: index-unread
}

TEST_MISTAKE(softmax_of_no_shape) {
    Ones ones;
    const SoftMaxShapeInfo shape = right ? SoftMaxShapeInfo{1, 16, 1, 16} : SoftMaxShapeInfo{};
    SoftMax<float>(ones.tensor, ones.tensor, kTiling, shape);  // expect: not-modelled
}

TEST_KERNEL(softmax_in_the_other_format) {
    Ones ones;
    const auto in = ones.tensor;
    const auto sum = in[256];
    const SoftMaxShapeInfo shape{1, 16, 1, 16};
    SoftMax<float, false, false, true>(in, sum, sum, in, kTiling, shape);  // expect: not-modelled
}

TEST_KERNEL(softmax_of_rows_of_7) {
    Ones ones;
    const SoftMaxShapeInfo shape{1, 7, 1, 7};
    SoftMax<float>(ones.tensor, ones.tensor, kTiling, shape);  // expect: argument-range
}

TEST_KERNEL(softmax_beside_itself) {
    Ones ones;
    const SoftMaxShapeInfo shape{2, 16, 2, 16};
    const auto in = ones.tensor;
    SoftMax<float>(in[8], in, kTiling, shape);  // expect: operand-overlap
}

TEST_KERNEL(flash_softmax_of_more_rows_than_there_are) {
    Ones ones;
    const auto in = ones.tensor;
    const SoftMaxShapeInfo big{1, 16, 2, 16};
    const auto a = in[256];
    const auto b = in[320];
    SoftmaxFlashV2<float>(in, a, b, in, b, a, b, kTiling, big);  // expect: argument-range
}

TEST_KERNEL(sigmoid_in_place) {
    Ones ones;
    Sigmoid(ones.tensor, ones.tensor, 64u);  // expect: operand-overlap
}

TEST_KERNEL(sigmoid_in_the_space_of_its_operand) {
    Ones ones;
    const auto in = ones.tensor;
    const auto space = in.ReinterpretCast<uint8_t>();
    Sigmoid(in[128], in, space, 64u);  // expect: operand-overlap
}

TEST_KERNEL(takes_more_than_a_row_has) {
    Ones ones;
    const auto in = ones.tensor;
    const auto at = in[256].ReinterpretCast<int32_t>();
    const LocalTensor<bool> none;
    const TopKInfo info{1, 32, 20};
    TopK<float, false>(in[64], at, in, at, none, 21, kTopKTiling, info);  // expect: argument-range
}

TEST_KERNEL(takes_small_rows_of_64) {
    Ones ones;
    const auto in = ones.tensor;
    const auto at = in[256].ReinterpretCast<int32_t>();
    const LocalTensor<bool> none;
    const TopKInfo info{1, 64, 64};
    constexpr auto kSmall = TopKMode::TOPK_NSMALL;
    TopK<float, false, false, false, kSmall>(  // expect: argument-range
        in[64], at, in, at, none, 2, kTopKTiling, info);
}

TEST_KERNEL(takes_the_largest_into_the_middle) {
    Ones ones;
    const auto in = ones.tensor;
    const auto at = in[256].ReinterpretCast<int32_t>();
    const LocalTensor<bool> none;
    const TopKInfo info{1, 32, 32};
    TopK<float, false>(in[8], at, in, at, none, 20, kTopKTiling, info);  // expect: operand-overlap
}

// The elements behind a row's k are anything.
TEST_MISTAKE(stores_what_is_behind_the_largest) {
    Ones ones;
    const auto in = ones.tensor;
    const auto at = in[256].ReinterpretCast<int32_t>();
    TopK<float, false>(in[64], at, in, at, LocalTensor<bool>(), 3, kTopKTiling, {1, 32, 32});
    PipeBarrier<PIPE_ALL>();
    DataCopyExtParams copy{1, right ? 12u : 16u, 0, 0, 0};
    DataCopyPad(Own(result), in[64], copy);  // expect: uninitialised-store
}

// And so is the padding of a row, which is not looked at.
TEST_MISTAKE(stores_the_padding_of_softmax) {
    Ones ones;
    const auto in = ones.tensor;
    SoftMax<float>(in[64], in, ones.space.Get<uint8_t>(), kTiling, {1, 16, 1, 13});
    PipeBarrier<PIPE_ALL>();
    DataCopyExtParams copy{1, right ? 52u : 64u, 0, 0, 0};
    DataCopyPad(Own(result), in[64], copy);  // expect: uninitialised-store
}

// A row that is not whole has no softmax.
TEST_MISTAKE(stores_the_softmax_of_fresh_space) {
    Ones ones;
    const auto fresh = ones.space.Get<float>();
    if (right) {
        Duplicate(fresh, 2.0f, 16);
        PipeBarrier<PIPE_ALL>();
    }
    SoftMax<float>(ones.tensor, fresh, kTiling, {1, 16, 1, 16});
    PipeBarrier<PIPE_ALL>();
    DataCopy(Own(result), ones.tensor, 8);  // expect: uninitialised-store
}

TEST_KERNEL(copies_to_a_raw_address_outside) {
    Ones ones;
    auto* outside = reinterpret_cast<int32_t*>(ones.tensor.GetPhyAddr()) + 100000;
    const DataCopyExtParams copy{1, 32, 0, 0, 0};
    const DataCopyPadExtParams<int32_t> pad{false, 0, 0, 0};
    auto* from = reinterpret_cast<__gm__ int32_t*>(first);
    DataCopyPadGm2UBImpl(outside, from, copy, pad);  // expect: ub-out-of-bounds
}

TEST_KERNEL(dequeues_between_other_positions) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    queue.EnQue<TPosition::GM, TPosition::VECIN, float>(queue.AllocTensor<float>());
    queue.DeQue<TPosition::VECOUT, TPosition::GM, float>();  // expect: queue-state
}

TEST_KERNEL(enqueues_between_positions_twice) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(queue, 2, 32);
    const auto tensor = queue.AllocTensor<float>();
    queue.EnQue<TPosition::GM, TPosition::VECIN, float>(tensor);
    queue.EnQue<TPosition::GM, TPosition::VECIN, float>(tensor);  // expect: queue-state
}
