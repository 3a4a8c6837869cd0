// MoeInitRoutingQuant in Ascend C: places are sorted by their experts, each with its row index.
// Where a row index has come to is the second output. Row i of the first is the token that the i-th
// row index names, as int8.

#include "kernel_operator.h"
#include "../shared/routing/routed_rows_kernel.h"
#include "../shared/routing/row_quantise_kernel.h"
#include "../shared/sorting/row_index_sort_kernel.h"
#include "moe_init_routing_quant_tiling.h"

namespace moe_init_routing_quant_kernel {

using namespace routed_rows;

using Tiling = const __gm__ MoeInitRoutingQuantTilingData;

// Scale and offset are read where the tiling has them.
template <typename T>
__aicore__ inline void Run(const row_indices::Tensors& tensors, Tiling* tiling) {
    row_indices::Sort(tensors, tiling->slots);
    const Tensors ofRows{tensors.x, (GM_ADDR)&tiling->scale, (GM_ADDR)&tiling->offset,
                         tensors.expandedX, nullptr};
    TPipe pipe;
    Rows<Quantiser<T, Way::STATIC_HALF>> rows;
    rows.Init(ofRows, tensors.workspace, nullptr, tiling, &pipe);
    rows.ProcessByRank(nullptr);
}

}  // namespace moe_init_routing_quant_kernel

extern "C" __global__ __aicore__ void moe_init_routing_quant(GM_ADDR x, GM_ADDR rowIdx,
                                                             GM_ADDR expertIdx, GM_ADDR expandedX,
                                                             GM_ADDR expandedRowIdx,
                                                             GM_ADDR expandedExpertIdx,
                                                             GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using namespace moe_init_routing_quant_kernel;
    const row_indices::Tensors tensors{
        x, rowIdx, expertIdx, expandedX, expandedRowIdx, expandedExpertIdx, workspace};
    auto data = reinterpret_cast<Tiling*>(tiling);
    switch (data->key) {
        case 10:
            return Run<float>(tensors, data);
        case 11:
            return Run<half>(tensors, data);
        case 12:
            return Run<bfloat16_t>(tensors, data);
    }
}
