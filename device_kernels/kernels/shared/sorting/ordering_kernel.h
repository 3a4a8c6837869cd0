// What kernels order their pipes and their numbers with.
#ifndef ORDERING_KERNEL_H
#define ORDERING_KERNEL_H

#include "kernel_operator.h"

namespace ordering {

__aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

__aicore__ inline int64_t RoundUp(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// What one pipe has been given is done before the other goes on.
template <AscendC::HardEvent EVENT>
__aicore__ inline void Order() {
    const auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(EVENT));
    AscendC::SetFlag<EVENT>(id);
    AscendC::WaitFlag<EVENT>(id);
}

}  // namespace ordering

#endif
