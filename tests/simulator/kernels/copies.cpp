// Copies between global memory and UB, and what fresh UB holds.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// UB as bytes after `fill` worked on a buffer of `bytes`, copied out whole.
template <typename T, typename Fill>
__aicore__ inline void Show(GM_ADDR result, uint32_t bytes, Fill fill) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, bytes);
    fill(buffer.Get<T>());
    DataCopy(Global<uint8_t>(result), buffer.Get<uint8_t>(), bytes);
}

// Zeros first, so that the bytes a copy leaves alone differ from those it leaves undefined.
template <typename T>
__aicore__ inline void Clear(const LocalTensor<T>& ub) {
    const auto words = ub.template ReinterpretCast<int32_t>();
    Duplicate(words, 0, static_cast<int32_t>(words.GetSize()));
}

template <typename T>
__aicore__ inline void ShowPadded(GM_ADDR first, GM_ADDR result, GM_ADDR params) {
    const DataCopyExtParams copy{Param(params, 1), Param(params, 2), Param(params, 3),
                                 Param(params, 4), 0};
    const DataCopyPadExtParams<T> pad{Param(params, 5) != 0, Param(params, 6), Param(params, 7),
                                      T(Param(params, 8))};
    Show<T>(result, Param(params, 0), [&](auto ub) {
        Clear(ub);
        DataCopyPad(ub, Global<T>(first), copy, pad);
    });
}

template <typename T>
__aicore__ inline void ShowPaddedNarrow(GM_ADDR first, GM_ADDR result, GM_ADDR params) {
    DataCopyParams copy;
    copy.blockCount = Param(params, 1);
    copy.blockLen = Param(params, 2);
    copy.srcStride = Param(params, 3);
    copy.dstStride = Param(params, 4);
    const DataCopyPadParams pad{Param(params, 5) != 0, Param(params, 6), Param(params, 7),
                                static_cast<uint64_t>(Param(params, 8))};
    Show<T>(result, Param(params, 0), [&](auto ub) {
        Clear(ub);
        DataCopyPad(ub, Global<T>(first), copy, pad);
    });
}

}  // namespace

// params: bytes of UB shown; blocks, bytes, source and destination stride; isPad, left, right,
// value.
TEST_KERNEL(pad_in_int8) { ShowPadded<int8_t>(first, result, params); }
TEST_KERNEL(pad_in_half) { ShowPadded<half>(first, result, params); }
TEST_KERNEL(pad_in_float) { ShowPadded<float>(first, result, params); }

// The last parameter is what SetPadValue sets, of isPad's own value.
TEST_KERNEL(pad_in_set_float) {
    SetPadValue(static_cast<float>(Param(params, 9)));
    ShowPadded<float>(first, result, params);
}
TEST_KERNEL(pad_in_set_half) {
    SetPadValue(half(5.0f));
    ShowPadded<float>(first, result, params);
}

// As pad_in_half, through the parameter structs of 16 bits, where the value is the element's bits.
TEST_KERNEL(pad_in_narrow) { ShowPaddedNarrow<int16_t>(first, result, params); }
TEST_KERNEL(pad_in_narrow_half) { ShowPaddedNarrow<half>(first, result, params); }
TEST_KERNEL(pad_in_narrow_bfloat16) { ShowPaddedNarrow<bfloat16_t>(first, result, params); }

// params: bytes of UB filled from the input; blocks, bytes, source and destination stride.
TEST_KERNEL(pad_out) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, Param(params, 0));
    DataCopy(buffer.Get<uint8_t>(), Global<uint8_t>(first), Param(params, 0));
    const DataCopyExtParams copy{Param(params, 1), Param(params, 2), Param(params, 3),
                                 Param(params, 4), 0};
    DataCopyPad(Global<uint8_t>(result), buffer.Get<uint8_t>(), copy);
}

// Strided whole blocks, in and out. params: bytes of UB; blocks, units, source, destination stride.
TEST_KERNEL(strided_in) {
    const DataCopyParams copy{Param(params, 1), Param(params, 2), Param(params, 3),
                              Param(params, 4)};
    Show<float>(result, Param(params, 0),
                [&](auto ub) { DataCopy(ub, Global<float>(first), copy); });
}

TEST_KERNEL(strided_out) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, Param(params, 0));
    DataCopy(buffer.Get<uint8_t>(), Global<uint8_t>(first), Param(params, 0));
    const DataCopyParams copy{Param(params, 1), Param(params, 2), Param(params, 3),
                              Param(params, 4)};
    DataCopy(Global<uint8_t>(result), buffer.Get<uint8_t>(), copy);
}

// A new buffer, after an earlier TPipe of the same block left other bytes there.
// params: bytes of UB.
TEST_KERNEL(fresh_buffer) {
    TPipe earlier;
    TBuf<> used;
    earlier.InitBuffer(used, Param(params, 0));
    Duplicate(used.Get<int32_t>(), 0, Param(params, 0) / 4);
    earlier.Destroy();
    Show<uint8_t>(result, Param(params, 0), [](auto) {});
}
