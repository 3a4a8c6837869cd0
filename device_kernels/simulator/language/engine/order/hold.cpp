#include "hold.h"

#include <mutex>
#include <string>

#include "../schedule/launch.h"

// Absent where the engine is linked without the runtime.
extern "C" __attribute__((weak)) void ascendsimReportError(const char* text);

namespace ascendsim {
namespace {

struct Hold {
    std::mutex mutex;
    uint64_t key = 0;  // the holder's, 0: there was none yet
    bool held = false;
};

// Leaked: a program may launch kernels from its static destructors.
Hold& TheHold() {
    static Hold* hold = new Hold;
    return *hold;
}

}  // namespace

bool IsHeld(const char* function) {
    Hold& hold = TheHold();
    const std::lock_guard lock(hold.mutex);
    if (hold.held && ascendsimReportError != nullptr) {
        const std::string text = std::string(function) +
                                 ": another part of this process holds the settings and findings";
        ascendsimReportError(text.c_str());
    }
    return hold.held;
}

}  // namespace ascendsim

extern "C" int ascendsimHold(uint64_t key, int held) {
    using namespace ascendsim;
    Hold& hold = TheHold();
    const std::lock_guard lock(hold.mutex);
    if (key == 0 || (hold.key != 0 && key != hold.key)) {
        return kStatusInvalidParameter;
    }
    hold.key = key;
    hold.held = held != 0;
    return kStatusOk;
}
