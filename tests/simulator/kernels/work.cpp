// Kernels whose work is known: how many instructions, which bytes, and what waits for what.
#include "test_kernel.h"

using namespace AscendC;

namespace {

constexpr uint32_t kTile = 8;  // elements, one block of 32 bytes
constexpr uint32_t kTileBytes = kTile * sizeof(float);

}  // namespace

// params: tiles, buffers of each queue, times that a tile is copied in. Each tile is copied in, one
// is added, and it is copied out.
TEST_KERNEL(work_of_tiles) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    const auto buffers = static_cast<uint8_t>(Param(params, 1));
    pipe.InitBuffer(in, buffers, kTileBytes);
    pipe.InitBuffer(out, buffers, kTileBytes);
    for (int32_t tile = 0; tile < Param(params, 0); ++tile) {
        LocalTensor<float> source = in.AllocTensor<float>();
        for (int32_t time = 0; time < Param(params, 2); ++time) {
            DataCopy(source, Global<float>(first)[kTile * tile], kTile);
            PipeBarrier<PIPE_MTE2>();
        }
        in.EnQue(source);
        source = in.DeQue<float>();
        LocalTensor<float> target = out.AllocTensor<float>();
        Adds(target, source, 1.0f, kTile);
        in.FreeTensor(source);
        out.EnQue(target);
        target = out.DeQue<float>();
        DataCopy(Global<float>(result)[kTile * tile], target, kTile);
        out.FreeTensor(target);
    }
}

// Block b issues b + 1 instructions of V, all blocks meet, and each issues one more.
TEST_KERNEL(work_until_all_meet) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, kTileBytes);
    const LocalTensor<float> all = buffer.Get<float>();
    for (int64_t time = 0; time <= GetBlockIdx(); ++time) {
        Duplicate(all, 1.0f, kTile);
        PipeBarrier<PIPE_V>();
    }
    SyncAll();
    Duplicate(all, 2.0f, kTile);
}

// One copy of three blocks of 32 bytes, and a scalar read of each number of params.
TEST_KERNEL(work_of_one_copy) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 3 * kTileBytes);
    DataCopy(buffer.Get<float>(), Global<float>(first), DataCopyParams{3, 1, 1, 0});
    for (int32_t read = 1; read <= Param(params, 0); ++read) {
        Global<int32_t>(params).GetValue(static_cast<uint64_t>(read));
    }
}
