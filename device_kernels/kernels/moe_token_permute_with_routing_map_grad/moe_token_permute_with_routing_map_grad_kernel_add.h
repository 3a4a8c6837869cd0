// The rows of a token are added in their order (../shared/rows/sorted_sum_kernel.h), as the sorted
// entries have it (kernel_sort.h). CANN sorts for the 16-bit types, and adds fp32 rows atomically,
// in any order; here all types are added in this one, so that a call gives the same bits each time.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_ADD_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_ADD_H

#include "kernel_operator.h"
#include "../shared/rows/sorted_sum_kernel.h"
#include "moe_token_permute_with_routing_map_grad_kernel_sort.h"

namespace routing_map_grad_kernel {

// Pairs of a key, minus the token, and the number of the row, which has no factor.
class SortedPairs {
public:
    __aicore__ inline void Init(GM_ADDR sorted) {
        sorted_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sorted));
    }
    __aicore__ inline void Room(int64_t entries, AscendC::TPipe* pipe) {
        pipe->InitBuffer(window_, static_cast<uint32_t>(entries * ENTRY_BYTES));
    }

    __aicore__ inline void Load(int64_t entry, int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * ENTRY_BYTES);
        AscendC::DataCopyPad(window_.Get<float>(), sorted_[entry * ENTRY_FLOATS],
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<float>{});
    }

    __aicore__ inline int64_t TokenAt(uint32_t place) {
        return static_cast<int64_t>(-window_.Get<float>().GetValue(place * ENTRY_FLOATS));
    }
    __aicore__ inline int64_t RowAt(uint32_t place) {
        return window_.Get<uint32_t>().GetValue(place * ENTRY_FLOATS + 1);
    }
    __aicore__ inline row_sum::One FactorAt(uint32_t) { return {}; }

private:
    AscendC::GlobalTensor<float> sorted_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> window_;
};

template <typename T>
using AddSorted = row_sum::SortedSum<T, SortedPairs>;

}  // namespace routing_map_grad_kernel

#endif
