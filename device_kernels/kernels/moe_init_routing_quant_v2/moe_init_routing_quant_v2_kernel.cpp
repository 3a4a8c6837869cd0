// MoeInitRoutingQuantV2 in Ascend C: tokens as int8 (../shared/routing/row_quantise_kernel.h) in
// the order of their experts, at the slots' ranks, or with drop/pad at their places among the rows
// of their experts, and how many slots experts have (../shared/routing/sorted_counts_kernel.h).
//
// The document names no format in which static rows are computed: it is half here, as CANN has it.

#include "kernel_operator.h"
#include "../shared/routing/routed_rows_kernel.h"
#include "../shared/routing/row_quantise_kernel.h"
#include "../shared/routing/sorted_counts_kernel.h"
#include "moe_init_routing_quant_v2_tiling.h"

namespace moe_init_routing_quant_v2_kernel {

using namespace routed_rows;

using Tiling = const __gm__ MoeInitRoutingQuantV2TilingData;

template <typename T, Way WAY>
__aicore__ inline void Run(const Tensors& tensors, const slot_copy::Tensors& sorted, GM_ADDR counts,
                           Tiling* tiling) {
    const row_sum::Share slots = OwnShare(tiling->slots.tokens * tiling->slots.topK);
    const bool pads = tiling->capacity > 0;
    GM_ADDR starts = pads ? sorted.workspace + tiling->startsOffset : nullptr;
    slot_counts::SortAndCount(sorted, counts, starts, tiling->slots, tiling->counted, slots.first,
                              slots.end);
    if (pads) {
        AscendC::SyncAll();
        slot_counts::Place(sorted, starts, tiling->capacity, tiling->counted, slots.first,
                           slots.end);
    }
    TPipe pipe;
    Rows<Quantiser<T, WAY>> rows;
    rows.Init(tensors, sorted.workspace, starts, tiling, &pipe);
    if (pads) {
        rows.Process();
    } else {
        const bool hasOwnFactors = WAY == Way::DYNAMIC_AWAY && tiling->scaleRows > 1;
        rows.ProcessByRank(hasOwnFactors ? sorted.indices : nullptr);
    }
}

}  // namespace moe_init_routing_quant_v2_kernel

// `counts` are cumulative sums or numbers, dropless, or numbers before the capacity drops some.
extern "C" __global__ __aicore__ void moe_init_routing_quant_v2(
    GM_ADDR x, GM_ADDR expertIdx, GM_ADDR scale, GM_ADDR offset, GM_ADDR expandedX,
    GM_ADDR expandedRowIdx, GM_ADDR counts, GM_ADDR dynamicQuantScale, GM_ADDR workspace,
    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using namespace moe_init_routing_quant_v2_kernel;
    auto data = reinterpret_cast<Tiling*>(tiling);
    const Tensors tensors{x, scale, offset, expandedX, dynamicQuantScale};
    const slot_copy::Tensors sorted{nullptr,        expertIdx, nullptr,  nullptr,
                                    expandedRowIdx, nullptr,   workspace};
    switch (data->key) {
        case 10:
            return Run<float, Way::STATIC_HALF>(tensors, sorted, counts, data);
        case 11:
            return Run<half, Way::STATIC_HALF>(tensors, sorted, counts, data);
        case 12:
            return Run<bfloat16_t, Way::STATIC_HALF>(tensors, sorted, counts, data);
        case 20:
            return Run<float, Way::DYNAMIC_AWAY>(tensors, sorted, counts, data);
        case 21:
            return Run<half, Way::DYNAMIC_AWAY>(tensors, sorted, counts, data);
        case 22:
            return Run<bfloat16_t, Way::DYNAMIC_AWAY>(tensors, sorted, counts, data);
    }
}
