// Copies of tokens' rows, with their scales.
#ifndef MOE_INIT_ROUTING_V3_KERNEL_ROWS_H
#define MOE_INIT_ROUTING_V3_KERNEL_ROWS_H

#include "kernel_operator.h"
#include "../shared/routing/routed_rows_kernel.h"

namespace moe_init_routing_v3_kernel {

using namespace routed_rows;
using AscendC::TQueBind;

// Bytes of a token's row, and its scale.
class Copier {
public:
    __aicore__ inline void Init(const Tensors& tensors, RowsTiling* tiling, TPipe* pipe) {
        rowBytes_ = tiling->slots.hidden;
        tileBytes_ = tiling->slots.tileColumns;
        hasScales_ = tiling->scaleRows > 0;
        zeros_.Init(tensors, hasScales_, rowBytes_, tiling, pipe);
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(tensors.x));
        expandedX_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(tensors.expandedX));
        scales_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.scale));
        expandedScales_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(tensors.expandedScale));
        if (rowBytes_ > 0) {
            const int64_t bytes = ordering::RoundUp(tileBytes_, BLOCK_BYTES);
            pipe->InitBuffer(tiles_, 2, static_cast<uint32_t>(bytes));
        }
        pipe->InitBuffer(scaleQueue_, 1, BLOCK_BYTES);
    }

    __aicore__ inline void Write(int64_t row, int64_t token, int64_t /*expert*/) {
        for (int64_t at = 0; at < rowBytes_; at += tileBytes_) {
            Copy(expandedX_[row * rowBytes_ + at], x_[token * rowBytes_ + at], tiles_,
                 Least(tileBytes_, rowBytes_ - at));
        }
        if (hasScales_) {
            Copy(expandedScales_[row], scales_[token], scaleQueue_, 1);
        }
    }

    __aicore__ inline void WriteZeros(int64_t row) { zeros_.Write(row); }

private:
    template <typename T, typename Queue>
    __aicore__ inline void Copy(const GlobalTensor<T>& to, const GlobalTensor<T>& from,
                                Queue& queue, int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(T));
        LocalTensor<T> tile = queue.template AllocTensor<T>();
        AscendC::DataCopyPad(tile, from, DataCopyExtParams{1, bytes, 0, 0, 0},
                             DataCopyPadExtParams<T>{});
        queue.EnQue(tile);
        tile = queue.template DeQue<T>();
        AscendC::DataCopyPad(to, tile, DataCopyExtParams{1, bytes, 0, 0, 0});
        queue.FreeTensor(tile);
    }

    Zeros zeros_;
    GlobalTensor<int8_t> x_;
    GlobalTensor<int8_t> expandedX_;
    GlobalTensor<float> scales_;
    GlobalTensor<float> expandedScales_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> tiles_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> scaleQueue_;

    int64_t rowBytes_;
    int64_t tileBytes_;
    bool hasScales_;
};

}  // namespace moe_init_routing_v3_kernel

#endif
