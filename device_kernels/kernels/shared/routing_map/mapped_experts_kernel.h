// The experts of a token's slots: its true places in a routing map, from the first on.
#ifndef MAPPED_EXPERTS_KERNEL_H
#define MAPPED_EXPERTS_KERNEL_H

#include "kernel_operator.h"

namespace routing_map {

// Slots are asked for in their order, from the first of a token on. One behind the last true place
// has no expert: the answer is the number of experts, or more.
struct MappedExperts {
    __aicore__ inline int64_t Of(int64_t slot) {
        if (slot % topK == 0) {
            next = 0;
        }
        const int64_t line = slot / topK * experts;
        while (next < experts && map.GetValue(static_cast<uint64_t>(line + next)) == 0) {
            ++next;
        }
        return next++;
    }

    AscendC::GlobalTensor<uint8_t> map;
    int64_t experts;
    int64_t topK;
    int64_t next = 0;  // the first expert of the token that has not been looked at
};

}  // namespace routing_map

#endif
