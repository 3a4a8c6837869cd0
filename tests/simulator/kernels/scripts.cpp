// A kernel that does what a list of numbers says: random programs without a compiler.
#include "test_kernel.h"

using namespace AscendC;

namespace {

constexpr uint32_t kElements = 32;  // of UB, and of a block's own part of the result

enum Step { CopyIn, CopyOut, CopyBack, AddCount, AddLanes, Read, Write, Set, Wait, Barrier };

template <HardEvent event>
void Signal(bool set, int32_t id) {
    set ? SetFlag<event>(id) : WaitFlag<event>(id);
}

void Signal(bool set, int32_t event, int32_t id) {
    switch (event) {
        case 0:
            return Signal<HardEvent::MTE2_V>(set, id);
        case 1:
            return Signal<HardEvent::V_MTE2>(set, id);
        case 2:
            return Signal<HardEvent::MTE3_V>(set, id);
        case 3:
            return Signal<HardEvent::V_MTE3>(set, id);
        case 4:
            return Signal<HardEvent::MTE2_MTE3>(set, id);
        case 5:
            return Signal<HardEvent::MTE3_MTE2>(set, id);
        case 6:
            return Signal<HardEvent::S_V>(set, id);
        case 7:
            return Signal<HardEvent::V_S>(set, id);
        case 8:
            return Signal<HardEvent::S_MTE2>(set, id);
        case 9:
            return Signal<HardEvent::MTE2_S>(set, id);
        case 10:
            return Signal<HardEvent::S_MTE3>(set, id);
        default:
            return Signal<HardEvent::MTE3_S>(set, id);
    }
}

// The flags of a program have the ids 0 and 1.
template <HardEvent... events>
void NameIdsOf(TPipe& pipe) {
    ((pipe.AllocEventID<events>(), pipe.AllocEventID<events>()), ...);
}

void NameIds(TPipe& pipe) {
    NameIdsOf<HardEvent::MTE2_V, HardEvent::V_MTE2, HardEvent::MTE3_V, HardEvent::V_MTE3,
              HardEvent::MTE2_MTE3, HardEvent::MTE3_MTE2, HardEvent::S_V, HardEvent::V_S,
              HardEvent::S_MTE2, HardEvent::MTE2_S, HardEvent::S_MTE3, HardEvent::MTE3_S>(pipe);
}

void WaitForPipe(int32_t pipe) {
    switch (pipe) {
        case 0:
            return PipeBarrier<PIPE_V>();
        case 1:
            return PipeBarrier<PIPE_MTE2>();
        case 2:
            return PipeBarrier<PIPE_MTE3>();
        default:
            return PipeBarrier<PIPE_ALL>();
    }
}

}  // namespace

// params: steps per block, then four numbers for each step of each block. result: per block the
// number of the step that it has reached, from element 64 on; before that, what is copied.
TEST_KERNEL(script) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, kElements * sizeof(float));
    const LocalTensor<float> all = buffer.Get<float>();
    const GlobalTensor<float> out = Global<float>(result);
    Duplicate(all, 0.0f, kElements);
    PipeBarrier<PIPE_ALL>();
    NameIds(pipe);
    const int32_t steps = Param(params, 0);
    const int32_t begin = 1 + static_cast<int32_t>(GetBlockIdx()) * steps * 4;
    for (int32_t step = 0; step < steps; ++step) {
        const int32_t at = begin + 4 * step;
        const int32_t x = Param(params, at + 1);
        const int32_t y = Param(params, at + 2);
        const int32_t z = Param(params, at + 3);
        reinterpret_cast<int32_t*>(result)[64 + GetBlockIdx()] = step;
        const DataCopyExtParams copy{1, static_cast<uint32_t>(z) * 4, 0, 0, 0};
        const DataCopyPadExtParams<float> pad{true, 0, static_cast<uint8_t>((8 - z % 8) % 8), 0};
        switch (Param(params, at)) {
            case CopyIn:
                DataCopyPad(all[x], Global<float>(first)[y], copy, pad);
                break;
            case CopyOut:
                DataCopyPad(out[y], all[x], copy);
                break;
            case CopyBack:
                DataCopyPad(all[x], out[y], copy, pad);
                break;
            case AddCount:
                Adds(all[x], all[y], 1.0f, z);
                break;
            case AddLanes: {
                const uint64_t mask[1] = {static_cast<uint64_t>(z)};
                Adds(all[x], all[y], 1.0f, mask, 1, UnaryRepeatParams{1, 1, 8, 8});
                break;
            }
            case Read:
                all.GetValue(x);
                break;
            case Write:
                all.SetValue(x, 1.0f);
                break;
            case Set:
            case Wait:
                Signal(Param(params, at) == Set, x, y);
                break;
            default:
                WaitForPipe(x);
        }
    }
    reinterpret_cast<int32_t*>(result)[64 + GetBlockIdx()] = steps;
}
