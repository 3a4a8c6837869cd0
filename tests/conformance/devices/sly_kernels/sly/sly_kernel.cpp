// A kernel that copies its input of four elements. A negative first element asks for a mistake: -1
// leaves the barrier out, -2 reads beyond the input.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void sly(GM_ADDR x, GM_ADDR y) {
    GlobalTensor<int32_t> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y));
    const int32_t asked = from.GetValue(0);
    if (asked == -2) {
        from.GetValue(4);  // mistake: beyond
    }
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<int32_t> values = buffer.Get<int32_t>();
    const DataCopyExtParams four{1, 16, 0, 0, 0};
    DataCopyPad(values, from, four, DataCopyPadExtParams<int32_t>{false, 0, 0, 0});
    if (asked != -1) {
        PipeBarrier<PIPE_ALL>();
    }
    DataCopyPad(to, values, four);  // mistake: unordered
}
