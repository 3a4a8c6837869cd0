// TPipe: hands out UB and event ids.
#pragma once

#include <cstdint>

#include "../../engine/schedule/core.h"
#include "../vocabulary/enumerations.h"
#include "t_buf.h"
#include "t_que.h"

namespace AscendC {

class TPipe {
public:
    TPipe() : state_(ascendsim::ConstructPipe(this)) {}
    ~TPipe() {
        Destroy();
        state_.object = nullptr;
    }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    // `count` buffers of `bytes` each, rounded up to 32, for a queue.
    template <TPosition source, TPosition destination, int32_t depth>
    bool InitBuffer(TQueBind<source, destination, depth>& queue, uint8_t count, uint32_t bytes,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
        ascendsim::InitQueue(queue.state_, state_, count, bytes, where);
        return true;
    }

    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t bytes,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
        buffer.buffer_ = ascendsim::AllocateBuffers(state_, 1, bytes, ascendsim::BufferState::Owned,
                                                    &buffer, where);
        return true;
    }

    // An event id that is reserved until ReleaseEventID, or one that is only free at this moment.
    template <HardEvent event>
    TEventID AllocEventID(ascendsim::CallSite where = ascendsim::CallSite::current()) {
        return state_.eventIds.Allocate(static_cast<uint32_t>(event), where);
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id, ascendsim::CallSite where = ascendsim::CallSite::current()) {
        state_.eventIds.Release(static_cast<uint32_t>(event), id, where);
    }
    template <HardEvent event>
    TEventID FetchEventID(ascendsim::CallSite where = ascendsim::CallSite::current()) {
        return FetchEventID(event, where);
    }
    TEventID FetchEventID(HardEvent event,
                          ascendsim::CallSite where = ascendsim::CallSite::current()) {
        return state_.eventIds.Fetch(static_cast<uint32_t>(event), where);
    }

    // Gives back all UB and events: its tensors and queues are no longer usable.
    void Destroy() { ascendsim::DestroyPipe(state_); }

private:
    ascendsim::PipeState& state_;
};

}  // namespace AscendC

// The TPipe that this block constructed last; in no namespace, as the vendor declares it.
inline AscendC::TPipe* GetTPipePtr(ascendsim::CallSite where = ascendsim::CallSite::current()) {
    return static_cast<AscendC::TPipe*>(ascendsim::LastPipe(where));
}
