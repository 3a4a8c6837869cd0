// TBuf<position>: one buffer of UB that no queue orders.
#pragma once

#include <cstdint>

#include "../vocabulary/enumerations.h"
#include "local_tensor.h"

namespace AscendC {

template <TPosition position = TPosition::VECCALC>
class TBuf {
public:
    // The whole buffer, or its first `count` elements.
    template <typename T>
    LocalTensor<T> Get(ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        ascendsim::CheckUbAccess(ascendsim::HandleOf(buffer_), 0, 0, "Get", "", where);
        return LocalTensor<T>(ascendsim::HandleOf(buffer_), 0,
                              buffer_->bytes / static_cast<uint32_t>(sizeof(T)));
    }
    template <typename T>
    LocalTensor<T> Get(uint32_t count,
                       ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        return GetWithOffset<T>(count, 0, where);
    }

    // `count` elements from `offset` bytes on.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset,
                                 ascendsim::CallSite where = ascendsim::CallSite::current()) const {
        ascendsim::CheckUbAccess(ascendsim::HandleOf(buffer_), offset, uint64_t{count} * sizeof(T),
                                 "Get", "", where);
        return LocalTensor<T>(ascendsim::HandleOf(buffer_), offset, count);
    }

private:
    friend class TPipe;
    ascendsim::Buffer* buffer_ = nullptr;
};

}  // namespace AscendC
