// A kernel that copies its input, or comes to the end that the first element asks for.
#include "kernel_operator.h"

#include <cstdlib>

using namespace AscendC;

namespace {

enum Ending { Copies, LoopsForEver, TakesAllMemory, ReadsBeyond, Aborts };

volatile bool goesOn = true;
volatile uint64_t beyond = 32768;  // behind all that the device has of the tensor

void TakeAllMemory() {
    while (goesOn) {
        auto* taken = static_cast<volatile uint8_t*>(std::malloc(1 << 20));
        for (uint32_t at = 0; at < 1 << 20; at += 4096) {
            taken[at] = 1;
        }
    }
}

}  // namespace

extern "C" __global__ __aicore__ void ill(GM_ADDR x, GM_ADDR y) {
    GlobalTensor<int32_t> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y));
    switch (from.GetValue(0)) {
        case LoopsForEver:
            while (goesOn) {
                from.GetValue(1);
            }
            break;
        case TakesAllMemory:
            TakeAllMemory();
            break;
        case ReadsBeyond:
            static_cast<void>(*reinterpret_cast<volatile __gm__ int32_t*>(x + beyond));
            break;
        case Aborts:
            std::abort();
        default:
            break;
    }
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<int32_t> values = buffer.Get<int32_t>();
    const DataCopyExtParams four{1, 16, 0, 0, 0};
    DataCopyPad(values, from, four, DataCopyPadExtParams<int32_t>{false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(to, values, four);
}
