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
constexpr size_t kMostUntaken = 64;

std::atomic<uint64_t> launches{0};
std::atomic<uint64_t> tasks{0};

struct Untaken {
    std::mutex mutex;
    std::vector<std::string> texts;  // each as JSON
};

// Leaked: libraries call in from static destructors.
Untaken& TheFailures() {
    static Untaken* failures = new Untaken;
    return *failures;
}

Untaken& TheFunctions() {
    static Untaken* functions = new Untaken;
    return *functions;
}

void Keep(Untaken& untaken, const std::string& text, bool isOnceEnough) {
    const std::lock_guard<std::mutex> lock(untaken.mutex);
    std::vector<std::string>& texts = untaken.texts;
    const bool isKnown = isOnceEnough && std::find(texts.begin(), texts.end(), text) != texts.end();
    if (!isKnown && texts.size() < kMostUntaken) {
        texts.push_back(text);
    }
}

uint64_t Take(const char* function, Untaken& untaken, char* buffer, uint64_t capacity) {
    if (IsHeld(function)) {
        return Written("[]", buffer, capacity);
    }
    const std::lock_guard<std::mutex> lock(untaken.mutex);
    std::string text = "[";
    for (const std::string& one : untaken.texts) {
        text += (text.size() > 1 ? "," : "") + one;
    }
    const uint64_t needed = Written(text + "]", buffer, capacity);
    if (buffer != nullptr && capacity >= needed) {
        untaken.texts.clear();
    }
    return needed;
}

uint64_t UntakenFailures() {
    Untaken& failures = TheFailures();
    const std::lock_guard<std::mutex> lock(failures.mutex);
    return failures.texts.size();
}

}  // namespace

void CountLaunch() { ++launches; }

void CountTask() { ++tasks; }

void KeepFailure(const std::string& what, aclError status, const std::string& text, bool isLaunch) {
    Keep(TheFailures(),
         "{\"what\":" + Quoted(what) + ",\"status\":" + std::to_string(status) +
             ",\"text\":" + Quoted(text) + ",\"launch\":" + (isLaunch ? "true}" : "false}"),
         /*isOnceEnough=*/false);
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
    return Take(__func__, TheFailures(), buffer, capacity);
}

void ascendsimNoteFunction(const char* name) {
    Keep(TheFunctions(), Quoted(name), /*isOnceEnough=*/true);
}

uint64_t ascendsimTakeFunctions(char* buffer, uint64_t capacity) {
    return Take(__func__, TheFunctions(), buffer, capacity);
}
}
