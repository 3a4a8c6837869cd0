// Zeros over a part of an output, for elements that only some of the copies that follow overwrite.
#ifndef ZERO_FILL_KERNEL_H
#define ZERO_FILL_KERNEL_H

#include "kernel_operator.h"
#include "../sorting/ordering_kernel.h"
#include "address_kernel.h"
#include "row_share_kernel.h"

namespace zero_fill {

// Fills `elements` elements of UB with zeros and writes them over the share of the output. T stands
// for the bits of an element, all of which are 0 in a zero.
template <typename T>
__aicore__ inline void Write(const AscendC::GlobalTensor<T>& output, const row_sum::Share& share,
                             AscendC::TBuf<AscendC::TPosition::VECCALC>& buffer, int64_t elements) {
    const AscendC::LocalTensor<T> zeros = buffer.template Get<T>();
    AscendC::Duplicate(zeros, static_cast<T>(0), static_cast<int32_t>(elements));
    ordering::Order<AscendC::HardEvent::V_MTE3>();
    for (int64_t element = share.first; element < share.end; element += elements) {
        const int64_t count = ordering::Least(elements, share.end - element);
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(T));
        AscendC::DataCopyPad(output[element], zeros, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
    }
}

// The same over this block's share of all `elements` of an output, by itself: no pipe is open.
template <typename T>
__aicore__ inline void WriteAll(GM_ADDR output, int64_t elements, int64_t atOnce) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, static_cast<uint32_t>(atOnce * sizeof(T)));
    const row_sum::Share share =
        row_sum::ShareOf(elements, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
    Write(gm::At<T>(output), share, buffer, atOnce);
    pipe.Destroy();
}

}  // namespace zero_fill

#endif
