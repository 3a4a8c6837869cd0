// MoeInitRoutingV2 in Ascend C: copies of tokens in the order of their experts
// (../shared/slot_copy_kernel.h), at the slots' ranks, or with drop/pad at their places among the
// rows of their experts (../shared/routing/slot_places_kernel.h), and how many slots experts have
// (../shared/routing/slot_counts_kernel.h).

#include "kernel_operator.h"
#include "../shared/routing/sorted_counts_kernel.h"
#include "moe_init_routing_v2_kernel_pad.h"
#include "moe_init_routing_v2_tiling.h"

namespace moe_init_routing_v2_kernel {

using slot_copy::Tensors;
using Tiling = const __gm__ MoeInitRoutingV2TilingData;

struct Slots {
    __aicore__ inline explicit Slots(const __gm__ SlotCopyTiling& tiling) {
        const int64_t token = AscendC::GetBlockIdx() * tiling.tokensPerCore;
        all = tiling.tokens * tiling.topK;
        first = Least(token * tiling.topK, all);
        end = Least((token + tiling.tokensPerCore) * tiling.topK, all);
    }

    int64_t all;
    int64_t first;  // [first, end): those of this block's tokens
    int64_t end;
};

// Every block has slots by rank and their ranks to itself; the ranks of the first one are the
// output.
template <typename T>
__aicore__ inline void RunFullLoad(const Tensors& tensors, GM_ADDR counts, Tiling* tiling) {
    const int64_t bytes = tiling->slots.pairsOffset;
    GM_ADDR own = tensors.workspace + 2 * bytes * AscendC::GetBlockIdx();
    Tensors mine = tensors;
    if (AscendC::GetBlockIdx() > 0) {
        mine.sortedIndices = own + bytes;
    }
    GlobalTensor<int32_t> indices;
    GlobalTensor<int32_t> slotOfRank;
    GlobalTensor<int32_t> rankOfSlot;
    indices.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tensors.indices));
    slotOfRank.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(own));
    rankOfSlot.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(mine.sortedIndices));
    TPipe sortPipe;
    stable_sort::Sorter sorter;
    sorter.InitAlone(&tiling->slots.sort, &sortPipe);
    sorter.ArgSortAlone(indices, slotOfRank);
    sorter.ArgSortAlone(slotOfRank, rankOfSlot);
    sortPipe.Destroy();
    if (tiling->counted.experts > 0) {
        TPipe pipe;
        Counter counter;
        counter.Init(tensors.indices, counts, nullptr, tiling->counted, &pipe);
        counter.CountShare(Slots(tiling->slots).all);
        pipe.Destroy();
    }
    slot_copy::Copy<T>(mine, &tiling->slots);
}

template <typename T>
__aicore__ inline void RunDropless(const Tensors& tensors, GM_ADDR counts, Tiling* tiling) {
    const Slots slots(tiling->slots);
    SortAndCount(tensors, counts, nullptr, tiling->slots, tiling->counted, slots.first, slots.end);
    if (slots.all > 0) {
        slot_copy::Copy<T>(tensors, &tiling->slots);
    }
}

template <typename T>
__aicore__ inline void RunDropPad(const Tensors& tensors, GM_ADDR counts, Tiling* tiling) {
    GM_ADDR starts = tensors.workspace + tiling->startsOffset;
    const Slots slots(tiling->slots);
    SortAndCount(tensors, counts, starts, tiling->slots, tiling->counted, slots.first, slots.end);
    AscendC::SyncAll();
    {
        TPipe pipe;
        Filler<T> filler;
        filler.Init(tensors.permuteTokens, starts, tiling, &pipe);
        filler.Process();
        pipe.Destroy();
    }
    if (slots.all == 0) {
        return;
    }
    Place(tensors, starts, tiling->capacity, tiling->counted, slots.first, slots.end);
    slot_copy::Copy<T>(tensors, &tiling->slots);
}

}  // namespace moe_init_routing_v2_kernel

// `counts` are cumulative sums or numbers, dropless, or numbers before the capacity drops some.
extern "C" __global__ __aicore__ void moe_init_routing_v2(GM_ADDR x, GM_ADDR expertIdx,
                                                          GM_ADDR expandedX, GM_ADDR expandedRowIdx,
                                                          GM_ADDR counts, GM_ADDR workspace,
                                                          GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    using namespace moe_init_routing_v2_kernel;
    const Tensors tensors{x, expertIdx, nullptr, expandedX, expandedRowIdx, nullptr, workspace};
    auto data = reinterpret_cast<Tiling*>(tiling);
    switch (data->key) {
        case 1000:
            return RunDropless<uint32_t>(tensors, counts, data);
        case 1001:
            return RunDropless<uint16_t>(tensors, counts, data);
        case 1010:
            return RunDropPad<uint32_t>(tensors, counts, data);
        case 1011:
            return RunDropPad<uint16_t>(tensors, counts, data);
        case 1100:
            return RunFullLoad<uint32_t>(tensors, counts, data);
        case 1101:
            return RunFullLoad<uint16_t>(tensors, counts, data);
    }
}
