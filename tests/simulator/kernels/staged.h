// A frame for tests of one function: the arguments wait in UB, and the result is written at the
// end.
#pragma once

#include "test_kernel.h"

// First, second and result in UB, the latter as it was in global memory, and 16 KiB to work in.
// params: their bytes, then those of the function.
class Stage {
public:
    Stage(GM_ADDR first, GM_ADDR second, GM_ADDR result, GM_ADDR params)
        : result_(result), bytes_(static_cast<uint32_t>(Param(params, 2))) {
        Load(first_, first, static_cast<uint32_t>(Param(params, 0)));
        Load(second_, second, static_cast<uint32_t>(Param(params, 1)));
        Load(out_, result, bytes_);
        pipe_.InitBuffer(work_, 16384);
        AscendC::PipeBarrier<PIPE_ALL>();
    }

    template <typename T>
    AscendC::LocalTensor<T> First() const {
        return first_.Get<T>();
    }
    template <typename T>
    AscendC::LocalTensor<T> Second() const {
        return second_.Get<T>();
    }
    template <typename T>
    AscendC::LocalTensor<T> Out() const {
        return out_.Get<T>();
    }
    template <typename T>
    AscendC::LocalTensor<T> Work() const {
        return work_.Get<T>();
    }

    void Finish() {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopyPad(Global<uint8_t>(result_), out_.Get<uint8_t>(),
                             AscendC::DataCopyExtParams{1, bytes_, 0, 0, 0});
    }

private:
    void Load(AscendC::TBuf<>& buffer, GM_ADDR from, uint32_t bytes) {
        pipe_.InitBuffer(buffer, bytes);
        AscendC::DataCopyPad(buffer.Get<uint8_t>(), Global<uint8_t>(from),
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
    }

    AscendC::TPipe pipe_;
    AscendC::TBuf<> first_;
    AscendC::TBuf<> second_;
    AscendC::TBuf<> out_;
    AscendC::TBuf<> work_;
    GM_ADDR result_;
    uint32_t bytes_;
};

// Defines a kernel whose body sees `stage` and its own `params`.
#define STAGED_KERNEL(name)                                      \
    static void Body_##name(const Stage& stage, GM_ADDR params); \
    TEST_KERNEL(name) {                                          \
        Stage stage(first, second, result, params);              \
        Body_##name(stage, params + 12);                         \
        stage.Finish();                                          \
    }                                                            \
    static void Body_##name([[maybe_unused]] const Stage& stage, [[maybe_unused]] GM_ADDR params)

// The mask of a call, as four 32-bit words in params[from] on.
struct MaskWords {
    uint64_t words[2];
    MaskWords(GM_ADDR params, int from)
        : words{Half(params, from) | Half(params, from + 1) << 32,
                Half(params, from + 2) | Half(params, from + 3) << 32} {}

private:
    static uint64_t Half(GM_ADDR params, int index) {
        return static_cast<uint32_t>(Param(params, index));
    }
};
