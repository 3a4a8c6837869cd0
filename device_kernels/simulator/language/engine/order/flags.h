// Flags between the pipes of a core, and who has reserved which.
//
// A flag is one bit of hardware per HardEvent and event id. The ids are book-keeping of a TPipe:
// AllocEventID reserves one, FetchEventID only names a free one, and every TPipe begins with all of
// them free, whatever the flags are.
#pragma once

#include <array>
#include <cstdint>

#include "../report/diagnostics.h"
#include "clocks.h"

namespace ascendsim {

inline constexpr uint32_t kHardEvents = 13;
inline constexpr uint32_t kEventIds = 8;

// The flags of a core, with the line that set each and what it tells of the pipe that did.
struct Flags {
    struct Flag {
        uint32_t set = 0;  // how often; more than once is a concern
        CallSite setAt;
        Clock told{};
        uint64_t place = 0;  // in the source's queue of effects
    };
    std::array<std::array<Flag, kEventIds>, kHardEvents> flags;
    std::array<uint8_t, kHardEvents> named{};  // ids that a TPipe has named, one bit each
};

// `event` is the index of a HardEvent.
void SetFlag(uint32_t event, int32_t id, CallSite where);
void WaitFlag(uint32_t event, int32_t id, CallSite where);

// A library function sets a flag of its own in `source`, and waits for it in `waiter`.
void OrderInside(Pipe source, Pipe waiter);

// Stops at the line of a flag that is still set when the kernel ends.
void RequireNoFlagSet();

class EventIds {
public:
    // The lowest free id, reserved or only named; `where` is told if there is none.
    int8_t Allocate(uint32_t event, CallSite where);
    int8_t Fetch(uint32_t event, CallSite where) const;
    void Release(uint32_t event, int32_t id, CallSite where);

    // For a queue: reserve an id and set its flag, wait for the flag and release the id.
    int8_t Raise(uint32_t event, CallSite where);
    void Lower(uint32_t event, int8_t id, CallSite where);
    void TakeDownQueueFlags();

private:
    std::array<uint8_t, kHardEvents> reserved_{};  // one bit per id
    std::array<uint8_t, kHardEvents> raised_{};    // those that a queue has set
};

}  // namespace ascendsim
