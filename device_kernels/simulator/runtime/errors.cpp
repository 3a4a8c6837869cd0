#include "errors.h"

#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

#include "acl/acl.h"
#include "ascendsim.h"

namespace ascendsim {
namespace {

// Texts that nobody fetches must not pile up for the life of a process.
constexpr size_t kKept = 16;

struct Text {
    std::thread::id thread;
    std::string text;
};

struct Log {
    std::mutex mutex;
    std::deque<Text> texts;
};

// Leaked: libraries call in from static destructors.
Log& TheLog() {
    static Log* log = new Log;
    return *log;
}

void Remember(const std::string& text) {
    Log& log = TheLog();
    const std::lock_guard<std::mutex> lock(log.mutex);
    log.texts.push_front({std::this_thread::get_id(), text});
    if (log.texts.size() > kKept) {
        log.texts.pop_back();
    }
}

// The calling thread's own texts; where it has none, those of the others: an error of a task queue
// happens on another thread than the one that reports it.
std::string Take() {
    Log& log = TheLog();
    const std::lock_guard<std::mutex> lock(log.mutex);
    const auto self = std::this_thread::get_id();
    bool own = false;
    for (const Text& entry : log.texts) {
        own = own || entry.thread == self;
    }
    std::string joined;
    std::deque<Text> others;
    for (const Text& entry : log.texts) {
        if (own && entry.thread != self) {
            others.push_back(entry);
            continue;
        }
        joined += joined.empty() ? "" : "\n";
        joined += entry.text;
    }
    log.texts.swap(others);
    return joined;
}

}  // namespace

aclError Fail(aclError status, const std::string& text) {
    Remember(text);
    return status;
}

aclError NullArgument(const char* function, const char* parameter) {
    return Fail(ACL_ERROR_INVALID_PARAM,
                std::string(function) + ": " + parameter + " is null; it must not be");
}

std::string Hex(const void* pointer) {
    char text[2 + 2 * sizeof(pointer) + 1];
    std::snprintf(text, sizeof(text), "%#zx", reinterpret_cast<size_t>(pointer));
    return text;
}

}  // namespace ascendsim

extern "C" {

const char* aclGetRecentErrMsg() {
    // Leaked per thread, as the interface promises the text until the thread's next call.
    thread_local std::string* text = new std::string;
    *text = ascendsim::Take();
    return text->empty() ? nullptr : text->c_str();
}

void ascendsimReportError(const char* text) {
    if (text != nullptr) {
        ascendsim::Remember(text);
    }
}
}
