// What kernels of the operator build write that others do not: positions of the kernel's own
// choice, raw addresses, elements of global memory by (index), bool.
#include "test_kernel.h"

using namespace AscendC;

// One buffer goes from MTE2 to V, from V to MTE3, and, in a second round, from MTE2 to MTE3.
TEST_KERNEL(passes_a_queue_more_than_once) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    auto tensor = queue.AllocTensor<int32_t>();
    DataCopy(tensor, Global<int32_t>(first), 8);
    queue.EnQue<TPosition::GM, TPosition::VECIN, int32_t>(tensor);
    tensor = queue.DeQue<TPosition::GM, TPosition::VECIN, int32_t>();
    Adds(tensor, tensor, 1, 8);
    queue.EnQue<TPosition::VECOUT, TPosition::GM, int32_t>(tensor);
    tensor = queue.DeQue<TPosition::VECOUT, TPosition::GM, int32_t>();
    DataCopy(Global<int32_t>(result), tensor, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(tensor, Global<int32_t>(first)[8], 8);
    queue.EnQue<TPosition::VECIN, TPosition::VECOUT, int32_t>(tensor);
    tensor = queue.DeQue<TPosition::VECIN, TPosition::VECOUT, int32_t>();
    DataCopy(Global<int32_t>(result)[8], tensor, 8);
    queue.FreeTensor(tensor);
}

// Three elements of 64 bits as six of 32, from the second 32 bytes of a buffer.
TEST_KERNEL(copies_by_raw_addresses) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    const auto tensor = buffer.Get<int64_t>()[4];
    const DataCopyExtParams copy{1, 24, 0, 0, 0};
    auto* raw = (__ubuf__ int32_t*)tensor.GetPhyAddr();
    DataCopyPadGm2UBImpl(raw, (__gm__ int32_t*)Global<int64_t>(first).GetPhyAddr(), copy,
                         DataCopyPadExtParams<int32_t>{true, 0, 2, -1});
    PipeBarrier<PIPE_ALL>();
    const auto out = Global<int64_t>(result);
    DataCopyPadUB2GMImpl((__gm__ int32_t*)out.GetPhyAddr(), raw, copy);
    DataCopyPad(out[3], tensor[0], DataCopyExtParams{1, 32, 0, 0, 0});
}

// The largest and the sum of each block, by the mask register in counter mode.
TEST_KERNEL(reduces_by_raw_addresses) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 2048);
    const auto in = buffer.Get<float>();
    const auto out = in[256];
    DataCopy(in, Global<float>(first), 128);
    PipeBarrier<PIPE_ALL>();
    AscendCUtils::SetMaskCount<float>();
    SetVectorMask<float, MaskMode::COUNTER>(0, 128);
    BlockReduceMaxIntrinsicsImpl((__ubuf__ float*)out.GetPhyAddr(),
                                 (__ubuf__ float*)in.GetPhyAddr(), 1, 1, 1, 8);
    BlockReduceSumIntrinsicsImpl((__ubuf__ float*)out[16].GetPhyAddr(),
                                 (__ubuf__ float*)in.GetPhyAddr(), 1, 1, 1, 8);
    AscendCUtils::SetMaskNorm<float>();
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<float>(result), out, 32);
}

// Elements of global memory, beyond 2^32 of them too: such a view is only refused when it is used.
TEST_KERNEL(counts_in_global_memory) {
    const auto in = Global<int32_t>(first);
    const auto out = Global<int32_t>(result);
    out(0) = 5;
    out(0) += in(3);
    out(1) = in(2);
    out(1) -= out(0);
    const int64_t far = int64_t{1} << 33;
    out[static_cast<uint64_t>(-far)](far + 2) = in(1);
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
}

// bool, the constants of the interface, and a padding without a dtype of its own.
TEST_KERNEL(copies_bools) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, DEFAULT_BLK_NUM * ONE_BLK_SIZE);
    const auto tensor = buffer.Get<bool>();
    static_assert(IsSameType<decltype(tensor), const LocalTensor<bool>>::value);
    static_assert(ONE_REPEAT_BYTE_SIZE == DEFAULT_BLOCK_SIZE && DEFAULT_REPEAT_STRIDE == 8);
    static_assert(DEFAULT_BLK_STRIDE == 1 && MAX_REPEAT_TIMES == 255);
    if (unlikely(g_coreType == AIC) || !likely(g_coreType == AIV)) {
        return;
    }
    DataCopyPad(tensor, Global<bool>(first), DataCopyParams{1, 3, 0, 0},
                DataCopyPadParams{true, 0, 5, 2});
    const auto numbers = tensor[32].ReinterpretCast<int32_t>();
    DataCopyPadExtParams padding{true, 0, 1, 7};
    DataCopyPad(numbers, Global<int32_t>(second), DataCopyExtParams{1, 4, 0, 0, 0}, padding);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(Global<bool>(result), tensor, DataCopyParams{1, 8, 0, 0});
    DataCopyPad(Global<int32_t>(result)[2], numbers, DataCopyParams{1, 8, 0, 0});
    InitOutput<bfloat16_t>(Global<bfloat16_t>(result)[8], 2, 1.5);
}
