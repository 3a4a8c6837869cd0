// MoeTokenPermuteWithRoutingMapGrad in Ascend C: the gradients of the tokens and of the probs that
// a permutation by a routing map had. Each launch does one job of a call; the tiling's header says
// which ones make a call. No result depends on the machine: rows are added in fp32 in the order of
// the slots, or of the rows, and rounded once; values of the probs are moved by their bits.

#include "kernel_operator.h"

#include <type_traits>

#include "../shared/slots/slot_sum_kernel.h"
#include "moe_token_permute_with_routing_map_grad_kernel_add.h"
#include "moe_token_permute_with_routing_map_grad_kernel_mask.h"
#include "moe_token_permute_with_routing_map_grad_kernel_scatter.h"
#include "moe_token_permute_with_routing_map_grad_kernel_sort.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"

namespace routing_map_grad_kernel {

using Tiling = MoeTokenPermuteWithRoutingMapGradTilingData;

// `names` are row indices, or sorted entries, or the routing map, as the job has it.
struct Tensors {
    GM_ADDR source;
    GM_ADDR names;
    GM_ADDR output;
    GM_ADDR scratch;
};

template <typename T>
__aicore__ inline void Run(const Tensors& tensors, const __gm__ Tiling* tiling) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(uint16_t), uint16_t, uint32_t>;
    AscendC::TPipe pipe;
    if (tiling->job == RoutingMapGradJob::SLOT_SUM) {
        row_sum::SlotSum<T> kernel;
        kernel.Init(tensors.source, tensors.names, tensors.output, tiling->topK, &tiling->rows,
                    &pipe);
        kernel.Process();
    } else if (tiling->job == RoutingMapGradJob::SORT) {
        Sort kernel;
        kernel.Init(tensors.names, tensors.scratch, &tiling->sort, &pipe);
        kernel.Process();
    } else if (tiling->job == RoutingMapGradJob::ADD_SORTED) {
        SortedPairs pairs;
        pairs.Init(tensors.names);
        AddSorted<T> kernel;
        kernel.Init(tensors.source, tensors.output, &tiling->rows, &pipe, pairs);
        kernel.Process();
    } else if (tiling->job == RoutingMapGradJob::MASKED_SCATTER) {
        MaskedScatter<Bits> kernel;
        kernel.Init(tensors.source, tensors.names, tensors.output, tensors.scratch, &tiling->mask,
                    &pipe);
        kernel.Process();
    } else if (tiling->job == RoutingMapGradJob::SCATTER) {
        Scatter<Bits> kernel;
        kernel.Init(tensors.source, tensors.names, tensors.output, &tiling->scatter, &pipe);
        kernel.Process();
    }
}

}  // namespace routing_map_grad_kernel

extern "C" __global__ __aicore__ void moe_token_permute_with_routing_map_grad(
    GM_ADDR source, GM_ADDR names, GM_ADDR output, GM_ADDR scratch, GM_ADDR tiling) {
    // The hardware's SyncAll needs a kernel of the mixed type; no cube unit takes part.
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using routing_map_grad_kernel::Run;
    const routing_map_grad_kernel::Tensors tensors{source, names, output, scratch};
    auto data = reinterpret_cast<const __gm__ routing_map_grad_kernel::Tiling*>(tiling);
    switch (data->dtype) {
        case 0:
            return Run<float>(tensors, data);
        case 1:
            return Run<half>(tensors, data);
        case 27:
            return Run<bfloat16_t>(tensors, data);
    }
}
