// Cast between every pair of dtypes, tile by tile.
#include "test_kernel.h"

using namespace AscendC;

namespace {

constexpr uint32_t kTile = 4096;

// params: the count, the RoundMode.
template <typename Dst, typename Src>
__aicore__ inline void CastAll(GM_ADDR first, GM_ADDR result, GM_ADDR params) {
    const auto count = static_cast<uint32_t>(Param(params, 0));
    const auto mode = static_cast<RoundMode>(Param(params, 1));
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, kTile * sizeof(Src));
    pipe.InitBuffer(out, 2, kTile * sizeof(Dst));
    for (uint32_t start = 0; start < count; start += kTile) {
        const uint32_t length = count - start < kTile ? count - start : kTile;
        LocalTensor<Src> source = in.template AllocTensor<Src>();
        DataCopyPad(source, Global<Src>(first)[start],
                    DataCopyExtParams{1, length * sizeof(Src), 0, 0, 0},
                    DataCopyPadExtParams<Src>{false, 0, 0, Src(0)});
        in.EnQue(source);
        source = in.template DeQue<Src>();
        LocalTensor<Dst> target = out.template AllocTensor<Dst>();
        Cast(target, source, mode, length);
        in.FreeTensor(source);
        out.EnQue(target);
        target = out.template DeQue<Dst>();
        DataCopyPad(Global<Dst>(result)[start], target,
                    DataCopyExtParams{1, length * sizeof(Dst), 0, 0, 0});
        out.FreeTensor(target);
    }
}

}  // namespace

#define CAST_KERNEL(name, Dst, Src) \
    TEST_KERNEL(cast_##name) { CastAll<Dst, Src>(first, result, params); }

CAST_KERNEL(half_to_float, float, half)
CAST_KERNEL(bfloat16_to_float, float, bfloat16_t)
CAST_KERNEL(float_to_half, half, float)
CAST_KERNEL(float_to_bfloat16, bfloat16_t, float)
CAST_KERNEL(float_to_float, float, float)
CAST_KERNEL(float_to_int32, int32_t, float)
CAST_KERNEL(half_to_int32, int32_t, half)
CAST_KERNEL(int32_to_float, float, int32_t)
CAST_KERNEL(float_to_int16, int16_t, float)
CAST_KERNEL(float_to_int64, int64_t, float)
CAST_KERNEL(half_to_int16, int16_t, half)
CAST_KERNEL(half_to_int8, int8_t, half)
CAST_KERNEL(half_to_uint8, uint8_t, half)
CAST_KERNEL(bfloat16_to_int32, int32_t, bfloat16_t)
CAST_KERNEL(int16_to_float, float, int16_t)
CAST_KERNEL(int64_to_float, float, int64_t)
CAST_KERNEL(int8_to_half, half, int8_t)
CAST_KERNEL(uint8_to_half, half, uint8_t)
CAST_KERNEL(int16_to_half, half, int16_t)
CAST_KERNEL(int32_to_int16, int16_t, int32_t)
CAST_KERNEL(int32_to_int64, int64_t, int32_t)
CAST_KERNEL(int64_to_int32, int32_t, int64_t)

// By a scale, the element at index 0 of the second input.
TEST_KERNEL(cast_int32_to_half) {
    SetDeqScale(Global<half>(second).GetValue(0));
    CastAll<half, int32_t>(first, result, params);
}

// fp32 to half with the overflow mode that saturates, which no Cast uses yet. params: the count.
TEST_KERNEL(narrow_saturating) {
    for (int32_t index = 0; index < Param(params, 0); ++index) {
        const float value = Global<float>(first).GetValue(index);
        Global<uint16_t>(result).SetValue(
            index, ascendsim::Narrow<ascendsim::HalfFormat, RoundMode::CAST_RINT,
                                     ascendsim::CastOverflow::Saturate>(value));
    }
}

// Widens 64 * repeats halves that lie in the upper half of the buffer which takes the floats.
// params: the repeats.
TEST_KERNEL(widen_in_place) {
    const auto count = static_cast<uint32_t>(64 * Param(params, 0));
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, count * sizeof(float));
    const LocalTensor<float> wide = buffer.Get<float>();
    const LocalTensor<half> narrow = buffer.Get<half>()[count];
    DataCopy(narrow, Global<half>(first), count);
    Cast(wide, narrow, RoundMode::CAST_NONE, count);
    DataCopy(Global<float>(result), wide, count);
}

// The mask and repeat form. params: count, mask, repeats.
TEST_KERNEL(cast_lanes) {
    const auto count = static_cast<uint32_t>(Param(params, 0));
    TPipe pipe;
    TBuf<> source;
    TBuf<> target;
    pipe.InitBuffer(source, count * sizeof(half));
    pipe.InitBuffer(target, count * sizeof(float));
    const LocalTensor<half> narrow = source.Get<half>();
    const LocalTensor<float> wide = target.Get<float>();
    DataCopy(narrow, Global<half>(first), count);
    Duplicate(wide, -1.0f, count);
    Cast(wide, narrow, RoundMode::CAST_NONE, static_cast<uint64_t>(Param(params, 1)),
         Param(params, 2), UnaryRepeatParams{1, 1, 8, 4});
    DataCopy(Global<float>(result), wide, count);
}
