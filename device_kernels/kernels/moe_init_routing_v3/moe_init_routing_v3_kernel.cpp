// MoeInitRoutingV3 in Ascend C: slots of the experts in a range are sorted and counted, and each
// row of the output has the token of its slot, as it is or quantised.

#include "kernel_operator.h"
#include "../shared/routing/row_quantise_kernel.h"
#include "../shared/routing/sorted_counts_kernel.h"
#include "moe_init_routing_v3_kernel_rows.h"
#include "moe_init_routing_v3_kernel_slots.h"
#include "moe_init_routing_v3_tiling.h"

namespace moe_init_routing_v3_kernel {

// Addresses that all writers of rows have in common.
struct Routing {
    __aicore__ inline Routing(GM_ADDR idx, GM_ADDR rowIdx, GM_ADDR workspace, Tiling* tiling)
        : expertIdx(idx),
          expandedRowIdx(rowIdx),
          slotOfRank(workspace),
          keys(workspace + tiling->keysOffset),
          rankOfSlot(tiling->rowIdxType == 0 ? rowIdx : workspace + tiling->ranksOffset),
          starts(workspace + tiling->startsOffset) {}

    __aicore__ inline slot_copy::Tensors Sorted() const {
        return {nullptr, keys, nullptr, nullptr, rankOfSlot, nullptr, slotOfRank};
    }

    GM_ADDR expertIdx;
    GM_ADDR expandedRowIdx;
    GM_ADDR slotOfRank;
    GM_ADDR keys;
    GM_ADDR rankOfSlot;
    GM_ADDR starts;
};

// Keys, which a barrier puts before the sort; ranks by them, and the first ranks of experts.
__aicore__ inline void SortAndCount(const Routing& routing, Tiling* tiling) {
    const row_sum::Share share = OwnShare(tiling->slots.tokens * tiling->slots.topK);
    TPipe pipe;
    Parts parts;
    parts.Init(routing.expertIdx, routing.keys, tiling, &pipe);
    parts.CopyKeys(share);
    pipe.Destroy();
    AscendC::SyncAll();
    slot_counts::SortAndCount(routing.Sorted(), nullptr, routing.starts, tiling->slots,
                              tiling->counted, share.first, share.end);
    AscendC::SyncAll();
}

__aicore__ inline void WriteNumbers(const Routing& routing, GM_ADDR counts, Tiling* tiling) {
    TPipe pipe;
    Numbers numbers;
    numbers.Init(counts, routing.starts, tiling, &pipe);
    numbers.Process();
    pipe.Destroy();
}

// The place of each slot, or -1; or the slot of each rank that an expert of the range has.
__aicore__ inline void WriteRowIdx(const Routing& routing, Tiling* tiling) {
    if (tiling->rowIdxType == 0) {
        const row_sum::Share share = OwnShare(tiling->slots.tokens * tiling->slots.topK);
        return slot_counts::Place(routing.Sorted(), routing.starts, tiling->capacity,
                                  tiling->counted, share.first, share.end);
    }
    TPipe startsPipe;
    slot_counts::Starts starts;
    starts.Init(routing.starts, 1, &startsPipe);
    starts.Load(tiling->counted.experts, 1);
    const int64_t active = starts.Of(tiling->counted.experts);
    startsPipe.Destroy();
    TPipe pipe;
    Parts parts;
    parts.Init(routing.slotOfRank, routing.expandedRowIdx, tiling, &pipe);
    parts.CopyAsTheyAre(OwnShare(active));
    pipe.Destroy();
}

template <typename Writer>
__aicore__ inline void Run(const Tensors& tensors, const Routing& routing, GM_ADDR counts,
                           Tiling* tiling) {
    SortAndCount(routing, tiling);
    if (tiling->slots.tokens * tiling->slots.topK > 0) {
        WriteRowIdx(routing, tiling);
    }
    if (tiling->countsType >= 0 && AscendC::GetBlockIdx() == 0) {
        WriteNumbers(routing, counts, tiling);
    }
    TPipe pipe;
    Rows<Writer> rows;
    rows.Init(tensors, routing.slotOfRank, routing.starts, tiling, &pipe);
    rows.Process();
}

}  // namespace moe_init_routing_v3_kernel

extern "C" __global__ __aicore__ void moe_init_routing_v3(GM_ADDR x, GM_ADDR expertIdx,
                                                          GM_ADDR scale, GM_ADDR offset,
                                                          GM_ADDR expandedX, GM_ADDR expandedRowIdx,
                                                          GM_ADDR counts, GM_ADDR expandedScale,
                                                          GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using namespace moe_init_routing_v3_kernel;
    auto data = reinterpret_cast<Tiling*>(tiling);
    const Tensors tensors{x, scale, offset, expandedX, expandedScale};
    const Routing routing(expertIdx, expandedRowIdx, workspace, data);
    switch (data->key) {
        case 0:
            return Run<Copier>(tensors, routing, counts, data);
        case 10:
            return Run<Quantiser<float, Way::STATIC>>(tensors, routing, counts, data);
        case 11:
            return Run<Quantiser<half, Way::STATIC>>(tensors, routing, counts, data);
        case 12:
            return Run<Quantiser<bfloat16_t, Way::STATIC>>(tensors, routing, counts, data);
        case 20:
            return Run<Quantiser<float, Way::DYNAMIC>>(tensors, routing, counts, data);
        case 21:
            return Run<Quantiser<half, Way::DYNAMIC>>(tensors, routing, counts, data);
        case 22:
            return Run<Quantiser<bfloat16_t, Way::DYNAMIC>>(tensors, routing, counts, data);
    }
}
