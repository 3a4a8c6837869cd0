// The tensor of some elements at an address of global memory.
#ifndef ADDRESS_KERNEL_H
#define ADDRESS_KERNEL_H

#include "kernel_operator.h"

namespace gm {

template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> At(GM_ADDR address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
    return tensor;
}

}  // namespace gm

#endif
