#include "errors.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>

#include "acl/acl.h"
#include "ascendsim.h"

namespace ascendsim {
namespace {

// Texts that nobody fetches must not pile up for the life of a process.
constexpr size_t kKeptPerThread = 16;
constexpr size_t kKept = 1024;

struct Text {
    uint64_t thread;
    uint64_t number;  // over all threads, from 1
    std::string text;
};

struct Log {
    std::mutex mutex;
    std::deque<Text> texts;  // the newest first
    uint64_t written = 0;
};

// Leaked: libraries call in from static destructors.
Log& TheLog() {
    static Log* log = new Log;
    return *log;
}

// The operating system gives the ids of ended threads to new ones.
uint64_t ThisThread() {
    static std::atomic<uint64_t> threads{0};
    thread_local const uint64_t number = ++threads;
    return number;
}

void Remember(const std::string& text) {
    Log& log = TheLog();
    const std::lock_guard<std::mutex> lock(log.mutex);
    const uint64_t self = ThisThread();
    log.texts.push_front({self, ++log.written, text});
    size_t own = 0;
    for (auto entry = log.texts.begin(); entry != log.texts.end(); ++entry) {
        if (entry->thread == self && ++own > kKeptPerThread) {
            log.texts.erase(entry);
            break;
        }
    }
    if (log.texts.size() > kKept) {
        log.texts.pop_back();
    }
}

// The calling thread's own texts, which are then forgotten. Where it has none, those of the others
// that it has not been told: an error of a task queue happens on another thread than the one that
// reports it. The others keep them.
std::string Take() {
    Log& log = TheLog();
    const std::lock_guard<std::mutex> lock(log.mutex);
    const uint64_t self = ThisThread();
    thread_local uint64_t told = 0;
    const auto joined = [&log](auto wanted) {
        std::string all;
        for (const Text& entry : log.texts) {
            if (wanted(entry)) {
                all += all.empty() ? "" : "\n";
                all += entry.text;
            }
        }
        return all;
    };
    const auto isOwn = [self](const Text& entry) { return entry.thread == self; };
    std::string own = joined(isOwn);
    if (!own.empty()) {
        std::erase_if(log.texts, isOwn);
        return own;
    }
    std::string others = joined([](const Text& entry) { return entry.number > told; });
    told = log.written;
    return others;
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

std::string NewestText() {
    Log& log = TheLog();
    const std::lock_guard<std::mutex> lock(log.mutex);
    const uint64_t self = ThisThread();
    const auto own = std::find_if(log.texts.begin(), log.texts.end(),
                                  [self](const Text& entry) { return entry.thread == self; });
    return own == log.texts.end() ? "" : own->text;
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
