// FunctionProbe in Ascend C: one function of the vector unit, and nothing else, of each element.
#include "kernel_operator.h"
#include "function_probe_tiling.h"

namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;

class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR out,
                                const __gm__ FunctionProbeTilingData* tiling,
                                AscendC::TPipe* pipe) {
        tile_ = tiling->tile;
        function_ = static_cast<ProbedFunction>(tiling->function);
        first_ = AscendC::GetBlockIdx() * tiling->perCore;
        const int64_t end = first_ + tiling->perCore;
        end_ = end < tiling->elements ? end : tiling->elements;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        out_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(out));
        const uint32_t bytes = static_cast<uint32_t>(tile_ * sizeof(float));
        pipe->InitBuffer(lefts_, 1, bytes);
        pipe->InitBuffer(rights_, 1, bytes);
        pipe->InitBuffer(results_, 1, bytes);
    }

    __aicore__ inline void Process() {
        for (int64_t from = first_; from < end_; from += tile_) {
            const int64_t left = end_ - from;
            const int64_t count = left < tile_ ? left : tile_;
            CopyIn(lefts_, x_[from], count);
            CopyIn(rights_, y_[from], count);
            Compute(static_cast<int32_t>(count));
            LocalTensor<float> result = results_.DeQue<float>();
            AscendC::DataCopyPad(out_[from], result, Bytes(count));
            results_.FreeTensor(result);
        }
    }

private:
    using Operands = AscendC::TQue<TPosition::VECIN, 1>;

    __aicore__ inline static AscendC::DataCopyExtParams Bytes(int64_t count) {
        return {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    }

    __aicore__ inline static void CopyIn(Operands& queue, const AscendC::GlobalTensor<float>& from,
                                         int64_t count) {
        LocalTensor<float> to = queue.AllocTensor<float>();
        AscendC::DataCopyPad(to, from, Bytes(count), AscendC::DataCopyPadExtParams<float>{});
        queue.EnQue(to);
    }

    __aicore__ inline void Compute(int32_t count) {
        LocalTensor<float> left = lefts_.DeQue<float>();
        LocalTensor<float> right = rights_.DeQue<float>();
        LocalTensor<float> result = results_.AllocTensor<float>();
        switch (function_) {
            case ProbedFunction::Exp:
                AscendC::Exp(result, left, count);
                break;
            case ProbedFunction::Ln:
                AscendC::Ln(result, left, count);
                break;
            case ProbedFunction::Sqrt:
                AscendC::Sqrt(result, left, count);
                break;
            case ProbedFunction::Div:
                AscendC::Div(result, left, right, count);
                break;
            case ProbedFunction::Reciprocal:
                AscendC::Reciprocal(result, left, count);
                break;
        }
        results_.EnQue(result);
        lefts_.FreeTensor(left);
        rights_.FreeTensor(right);
    }

    AscendC::GlobalTensor<float> x_;
    AscendC::GlobalTensor<float> y_;
    AscendC::GlobalTensor<float> out_;
    Operands lefts_;
    Operands rights_;
    AscendC::TQue<TPosition::VECOUT, 1> results_;
    ProbedFunction function_;
    int64_t tile_;
    int64_t first_;
    int64_t end_;
};

}  // namespace

extern "C" __global__ __aicore__ void function_probe(GM_ADDR x, GM_ADDR y, GM_ADDR out,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    Kernel kernel;
    kernel.Init(x, y, out, reinterpret_cast<const __gm__ FunctionProbeTilingData*>(tiling), &pipe);
    kernel.Process();
}
