#include "tally.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "ascendsim.h"
#include "engine/order/hold.h"
#include "engine/report/diagnostics.h"
#include "memory.h"
#include "stream.h"

namespace ascendsim {
namespace {

// What nobody takes must not pile up for the life of a process.
constexpr size_t kMostFailures = 64;

std::atomic<uint64_t> launches{0};
std::atomic<uint64_t> tasks{0};

struct Failures {
    std::mutex mutex;
    std::vector<std::string> untaken;  // each as JSON
};

// Leaked: libraries call in from static destructors.
Failures& TheFailures() {
    static Failures* failures = new Failures;
    return *failures;
}

uint64_t UntakenFailures() {
    Failures& failures = TheFailures();
    const std::lock_guard<std::mutex> lock(failures.mutex);
    return failures.untaken.size();
}

}  // namespace

void CountLaunch() { ++launches; }

void CountTask() { ++tasks; }

void KeepFailure(const std::string& what, aclError status, const std::string& text, bool isLaunch) {
    Failures& failures = TheFailures();
    const std::lock_guard<std::mutex> lock(failures.mutex);
    if (failures.untaken.size() < kMostFailures) {
        failures.untaken.push_back(
            "{\"what\":" + Quoted(what) + ",\"status\":" + std::to_string(status) +
            ",\"text\":" + Quoted(text) + ",\"launch\":" + (isLaunch ? "true}" : "false}"));
    }
}

}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

void ascendsimTally(uint64_t* counts, uint32_t count) {
    const std::array<uint64_t, 5> all{launches, tasks, LiveBytes(), UntakenFailures(),
                                      PendingTasks()};
    std::copy_n(all.begin(), std::min<size_t>(count, all.size()), counts);
}

uint64_t ascendsimTakeFailures(char* buffer, uint64_t capacity) {
    if (IsHeld(__func__)) {
        return Written("[]", buffer, capacity);
    }
    Failures& failures = TheFailures();
    const std::lock_guard<std::mutex> lock(failures.mutex);
    std::string text = "[";
    for (const std::string& one : failures.untaken) {
        text += (text.size() > 1 ? "," : "") + one;
    }
    const uint64_t needed = Written(text + "]", buffer, capacity);
    if (buffer != nullptr && capacity >= needed) {
        failures.untaken.clear();
    }
    return needed;
}
}
