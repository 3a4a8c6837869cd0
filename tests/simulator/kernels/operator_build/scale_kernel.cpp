// An operator as its own build compiles it: dtypes, tiling and tiling keys come from outside.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

template <typename T>
class Scale {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ScaleTilingData* tiling) {
        const ScaleRange& range = tiling->range;
        count_ = range.count;
        source_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + range.first, count_);
        target_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), count_);
        pipe_.InitBuffer(buffer_, count_ * sizeof(T));
    }

    __aicore__ inline void Process(T factor, T added) {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count_ * sizeof(T)), 0, 0, 0};
        const LocalTensor<T> values = buffer_.Get<T>();
        DataCopyPad(values, source_, copy, DataCopyPadExtParams<T>{false, 0, 0, 0});
        PipeBarrier<PIPE_ALL>();
        Muls(values, values, factor, count_);
        PipeBarrier<PIPE_V>();
        Adds(values, values, added, count_);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(target_, values, copy);
    }

private:
    TPipe pipe_;
    TBuf<TPosition::VECCALC> buffer_;
    GlobalTensor<T> source_;
    GlobalTensor<T> target_;
    uint32_t count_;
};

}  // namespace

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    if (workspace == nullptr) {
        return;
    }
    GET_TILING_DATA(tilingData, tiling);
    GET_TILING_DATA_MEMBER(ScaleTilingData, factor, factor, tiling);
    Scale<DTYPE_X> op;
    op.Init(x, y, &tilingData);
    if (TILING_KEY_IS(101)) {
        op.Process(static_cast<DTYPE_X>(factor), static_cast<DTYPE_X>(tilingData.added[2]));
    } else if (TILING_KEY_IS(102)) {
        op.Process(static_cast<DTYPE_X>(1), static_cast<DTYPE_X>(0));
    }
#if ORIG_DTYPE_X == DT_INT32 && __CCE_AICORE__ == 220
    if (TILING_KEY_IS(103)) {
        GlobalTensor<int32_t> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y));
        out.SetValue(0, static_cast<int32_t>(GetUserWorkspace(workspace) - workspace));
    }
#endif
}
