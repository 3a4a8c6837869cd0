// The first ranks of experts, as slot_counts_kernel.h leaves them in global memory.
#ifndef SLOT_STARTS_KERNEL_H
#define SLOT_STARTS_KERNEL_H

#include "kernel_operator.h"
#include "slot_counts_kernel.h"

namespace slot_counts {

// First ranks of experts, as many at a time as the tiling has room for.
class Starts {
public:
    __aicore__ inline void Init(GM_ADDR starts, int64_t entries, TPipe* pipe) {
        starts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(starts));
        pipe->InitBuffer(buffer_, IntegerBytes(entries));
    }

    // Entries [first, first + count), for the scalar unit, unless they are there already.
    __aicore__ inline void Load(int64_t first, int64_t count) {
        if (first == first_ && count == count_) {
            return;
        }
        first_ = first;
        count_ = count;
        Order<HardEvent::S_MTE2>();
        LoadIntegers(buffer_.Get<int32_t>(), starts_, first, count);
        Order<HardEvent::MTE2_S>();
    }

    __aicore__ inline int64_t Of(int64_t expert) {
        return buffer_.Get<int32_t>().GetValue(static_cast<uint32_t>(expert - first_));
    }

private:
    GlobalTensor<int32_t> starts_;
    TBuf<TPosition::VECCALC> buffer_;
    int64_t first_ = 0;
    int64_t count_ = 0;  // nothing is there
};

}  // namespace slot_counts

#endif
