// TQue and TQueBind: tensors handed from a producing pipe to a consuming one.
#pragma once

#include <cstdint>

#include "../../engine/order/queues.h"
#include "../vocabulary/enumerations.h"
#include "local_tensor.h"

namespace ascendsim {

// The two flags of a queue: producer to consumer, and back when a tensor is freed.
struct QueueEvents {
    AscendC::HardEvent filled;
    AscendC::HardEvent freed;
};

// `source` is where the producer leaves the data, `destination` where the consumer takes them: GM
// to VECIN is MTE2 before V, VECOUT to GM is V before MTE3, VECIN to VECOUT is MTE2 before MTE3.
constexpr QueueEvents EventsOf(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::HardEvent;
    using AscendC::TPosition;
    if (source == TPosition::GM && destination == TPosition::VECIN) {
        return {HardEvent::MTE2_V, HardEvent::V_MTE2};
    }
    if (source == TPosition::VECOUT && destination == TPosition::GM) {
        return {HardEvent::V_MTE3, HardEvent::MTE3_V};
    }
    if (source == TPosition::VECIN && destination == TPosition::VECOUT) {
        return {HardEvent::MTE2_MTE3, HardEvent::MTE3_MTE2};
    }
    return {HardEvent::V_V, HardEvent::V_V};
}

// The event of a step between positions of the kernel's own choice: all but GM is UB.
constexpr AscendC::HardEvent EventBetween(AscendC::TPosition source,
                                          AscendC::TPosition destination) {
    using AscendC::HardEvent;
    using AscendC::TPosition;
    if (source == TPosition::GM) {
        return HardEvent::MTE2_V;
    }
    return destination == TPosition::GM ? HardEvent::V_MTE3 : HardEvent::MTE2_MTE3;
}

constexpr bool IsQueue(AscendC::TPosition source, AscendC::TPosition destination) {
    using AscendC::TPosition;
    return EventsOf(source, destination).filled != AscendC::HardEvent::V_V ||
           (source == TPosition::VECCALC && destination == TPosition::VECCALC);
}

}  // namespace ascendsim

namespace AscendC {

template <TPosition source, TPosition destination, int32_t depth>
class TQueBind {
    static_assert(ascendsim::IsQueue(source, destination),
                  "a queue joins GM to VECIN, VECIN to VECOUT, VECOUT to GM, or VECCALC to itself");
    static_assert(depth >= 1 && depth <= static_cast<int32_t>(ascendsim::kMostBuffers),
                  "a queue is 1 to 64 tensors deep");

public:
    TQueBind() = default;
    TQueBind(const TQueBind&) = delete;  // its tensors know it by its address
    TQueBind& operator=(const TQueBind&) = delete;

    template <typename T>
    LocalTensor<T> AllocTensor(ascendsim::CallSite where = ascendsim::CallSite::current()) {
        return TensorOf<T>(ascendsim::AllocTensor(state_, where));
    }

    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor,
               ascendsim::CallSite where = ascendsim::CallSite::current()) {
        ascendsim::EnQue(state_, tensor.GetHandle(), where);
        return true;
    }

    template <typename T>
    LocalTensor<T> DeQue(ascendsim::CallSite where = ascendsim::CallSite::current()) {
        return TensorOf<T>(ascendsim::DeQue(state_, where));
    }

    // Between positions that are not the queue's own, for a tensor that passes it more than once.
    template <TPosition sourceOfUse, TPosition destinationOfUse, typename T>
    bool EnQue(const LocalTensor<T>& tensor,
               ascendsim::CallSite where = ascendsim::CallSite::current()) {
        ascendsim::EnQueBy(state_, tensor.GetHandle(), kEventOf<sourceOfUse, destinationOfUse>,
                           where);
        return true;
    }
    template <TPosition sourceOfUse, TPosition destinationOfUse, typename T>
    LocalTensor<T> DeQue(ascendsim::CallSite where = ascendsim::CallSite::current()) {
        return TensorOf<T>(
            ascendsim::DeQueBy(state_, kEventOf<sourceOfUse, destinationOfUse>, where));
    }

    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor,
                    ascendsim::CallSite where = ascendsim::CallSite::current()) {
        ascendsim::FreeTensor(state_, tensor.GetHandle(), where);
    }

private:
    friend class TPipe;

    template <TPosition sourceOfUse, TPosition destinationOfUse>
    static constexpr uint32_t kEventOf = [] {
        static_assert(sourceOfUse != TPosition::GM || destinationOfUse != TPosition::GM,
                      "EnQue and DeQue go from or to UB");
        return static_cast<uint32_t>(ascendsim::EventBetween(sourceOfUse, destinationOfUse));
    }();

    template <typename T>
    static LocalTensor<T> TensorOf(ascendsim::Buffer* buffer) {
        return LocalTensor<T>(ascendsim::HandleOf(buffer), 0,
                              buffer->bytes / static_cast<uint32_t>(sizeof(T)));
    }

    ascendsim::QueueState state_{
        .depth = depth,
        .filledEvent = static_cast<uint32_t>(ascendsim::EventsOf(source, destination).filled),
        .freedEvent = static_cast<uint32_t>(ascendsim::EventsOf(source, destination).freed)};
};

// A queue named by one position: the other end follows from it.
template <TPosition position, int32_t depth>
class TQue : public TQueBind<position == TPosition::VECIN ? TPosition::GM : position,
                             position == TPosition::VECOUT ? TPosition::GM : position, depth> {};

}  // namespace AscendC
