// InRange in Ascend C, on one core and in one tile: `times` for each element in the range, else 0.
#include "kernel_operator.h"
#include "in_range_tiling.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void in_range(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
    auto data = reinterpret_cast<const __gm__ InRangeTilingData*>(tiling);
    const uint32_t bytes = static_cast<uint32_t>(data->row * sizeof(int32_t));
    const uint32_t room = (bytes + 31) / 32 * 32;
    GlobalTensor<float> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y));
    TPipe pipe;
    TBuf<> values;
    TBuf<> results;
    pipe.InitBuffer(values, room);
    pipe.InitBuffer(results, room);
    const LocalTensor<float> value = values.Get<float>();
    LocalTensor<int32_t> result = results.Get<int32_t>();
    const DataCopyExtParams all{1, bytes, 0, 0, 0};
    DataCopyPad(value, from, all, DataCopyPadExtParams<float>{false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    for (int64_t place = 0; place < data->row; ++place) {
        const float one = value.GetValue(static_cast<uint32_t>(place));
        const bool isInside = data->low <= one && one <= data->high;
        const int32_t times = isInside != (data->inverted != 0) ? data->times : 0;
        result.SetValue(static_cast<uint32_t>(place), times);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(to, result, all);
}
