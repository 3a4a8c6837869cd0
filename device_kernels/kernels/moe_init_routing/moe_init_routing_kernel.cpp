// MoeInitRouting in Ascend C: places are sorted by their experts, each with its row index. Where a
// row index has come to is the second output, and row i of the first is the token that the i-th row
// index names, which counts the tokens over and over.

#include "kernel_operator.h"
#include "../shared/rows/row_gather_kernel.h"
#include "../shared/sorting/row_index_sort_kernel.h"
#include "moe_init_routing_tiling.h"

namespace moe_init_routing_kernel {

using row_indices::Tensors;

// T stands for the bits of an element: nothing is computed with them.
template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ SlotCopyTiling& slots) {
    row_indices::Sort(tensors, slots);
    AscendC::TPipe pipe;
    slot_copy::RowGather<int32_t, T, /*WRAPS=*/true> rows;
    rows.Init(tensors.x, tensors.workspace, tensors.expandedX, &slots, &pipe);
    rows.Process();
}

}  // namespace moe_init_routing_kernel

extern "C" __global__ __aicore__ void moe_init_routing(GM_ADDR x, GM_ADDR rowIdx, GM_ADDR expertIdx,
                                                       GM_ADDR expandedX, GM_ADDR expandedRowIdx,
                                                       GM_ADDR expandedExpertIdx, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using moe_init_routing_kernel::Run;
    const moe_init_routing_kernel::Tensors tensors{
        x, rowIdx, expertIdx, expandedX, expandedRowIdx, expandedExpertIdx, workspace};
    auto data = reinterpret_cast<const __gm__ MoeInitRoutingTilingData*>(tiling);
    switch (data->key) {
        case 1000:
            return Run<uint32_t>(tensors, data->slots);
        case 1001:
            return Run<uint16_t>(tensors, data->slots);
    }
}
