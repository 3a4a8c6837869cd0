#include "faults.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "device.h"
#include "engine/schedule/environment.h"
#include "errors.h"

namespace ascendsim {
namespace {

constexpr std::string_view kStruck[] = {
    "aclInit",
    "aclrtGetDeviceCount",
    "aclrtSetDevice",
    "aclrtMalloc",
    "aclrtMallocAlign32",
    "aclrtFree",
    "aclrtMemcpy",
    "aclrtMemcpyAsync",
    "aclrtMemset",
    "aclrtMemsetAsync",
    "aclrtCreateStream",
    "aclrtDestroyStream",
    "aclrtSynchronizeStream",
    "aclrtSynchronizeDevice",
};
constexpr std::string_view kWords[] = {"crash", "hang", "short", "wrong"};
constexpr std::string_view kAny = "*";
constexpr size_t kLine = 32;  // bytes of a ledger's line

struct Entry {
    std::string text;  // as it stands in the list
    std::string function;
    int64_t call = 0;  // 0: every one
    bool onwards = false;
    int64_t device = -1;  // -1: any
    int64_t status = 0;
    std::string word;
    int64_t counted = 0;
};

struct Faults {
    std::mutex mutex;
    std::vector<Entry> entries;
    std::string unreadable;  // why
    int ledger = -1;         // the file of ASCENDSIM_CALLS
};

// The whole of `text` as a number of at least `least`.
bool ReadNumber(std::string_view text, int64_t least, int64_t* number) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, *number);
    return error == std::errc() && stopped == end && *number >= least;
}

// What follows `mark` in `text`, which is cut before it.
std::string_view Behind(char mark, std::string_view* text) {
    const size_t at = text->find(mark);
    const std::string_view behind = at == text->npos ? "" : text->substr(at + 1);
    *text = text->substr(0, at);
    return behind;
}

// Why an entry cannot be read; "" where it can.
std::string Read(std::string_view text, Entry* entry) {
    entry->text = text;
    const std::string_view effect = Behind(':', &text);
    if (std::find(std::begin(kWords), std::end(kWords), effect) != std::end(kWords)) {
        entry->word = effect;
    } else if (!ReadNumber(effect, 1, &entry->status)) {
        return "what follows : must be a status of at least 1, crash, hang, short or wrong";
    }
    const bool hasDevice = text.find('#') != text.npos;
    const std::string_view device = Behind('#', &text);
    if (hasDevice && !ReadNumber(device, 0, &entry->device)) {
        return "what follows # must be a device's number";
    }
    const bool hasCall = text.find('@') != text.npos;
    std::string_view call = Behind('@', &text);
    entry->onwards = !call.empty() && call.back() == '+';
    call.remove_suffix(entry->onwards ? 1 : 0);
    if (hasCall && !ReadNumber(call, 1, &entry->call)) {
        return "what follows @ must be a call's number, from 1, with or without +";
    }
    entry->function = text;
    if (text != kAny &&
        std::find(std::begin(kStruck), std::end(kStruck), text) == std::end(kStruck)) {
        return "no fault is injected into this function";
    }
    return "";
}

void ReadAll(std::string_view list, Faults* faults) {
    while (!list.empty()) {
        std::string_view one = list;
        list = Behind(',', &one);
        Entry entry;
        const std::string why = Read(one, &entry);
        if (!why.empty()) {
            faults->unreadable = "ASCENDSIM_FAULTS: \"" + entry.text + "\" cannot be read: " + why;
            return;
        }
        faults->entries.push_back(entry);
    }
}

// Leaked: libraries call in from static destructors.
Faults& TheFaults() {
    static Faults* faults = [] {
        auto* read = new Faults;
        const char* list = Variable("ASCENDSIM_FAULTS");
        ReadAll(list == nullptr ? "" : list, read);
        if (const char* path = Variable("ASCENDSIM_CALLS"); path != nullptr && *path != '\0') {
            read->ledger = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
            if (read->ledger < 0) {
                read->unreadable = std::string("ASCENDSIM_CALLS: ") + path + " cannot be written";
            }
        }
        return read;
    }();
    return *faults;
}

// Appends the call's line to the ledger and answers the line's number: a write that appends leaves
// the file's position behind what it wrote, whoever else writes. 0 where there is no ledger.
int64_t Entered(const Faults& faults, const char* function) {
    if (faults.ledger < 0) {
        return 0;
    }
    char line[kLine + 1];
    std::snprintf(line, sizeof line, "%-23.23s %7d\n", function, static_cast<int>(getpid()));
    const bool written = write(faults.ledger, line, kLine) == static_cast<ssize_t>(kLine);
    return written ? lseek(faults.ledger, 0, SEEK_CUR) / static_cast<int64_t>(kLine) : 0;
}

// Whether this call is one that the entry strikes; counts it. `number` is that of the ledger.
bool Strikes(Entry& entry, std::string_view function, int32_t device, int64_t number) {
    if ((entry.function != kAny && entry.function != function) ||
        (entry.device >= 0 && entry.device != device)) {
        return false;
    }
    const bool jointly = number > 0 && entry.function == kAny && entry.device < 0;
    entry.counted = jointly ? number : entry.counted + 1;
    return entry.call == 0 || entry.counted == entry.call ||
           (entry.onwards && entry.counted > entry.call);
}

}  // namespace

Fault CountCall(const char* function, int32_t device) {
    Faults& faults = TheFaults();
    if (faults.entries.empty() && faults.unreadable.empty() && faults.ledger < 0) {
        return {};
    }
    if (!faults.unreadable.empty()) {
        return {Fail(ACL_ERROR_INVALID_PARAM, faults.unreadable)};
    }
    const Entry* first = nullptr;
    {
        const std::lock_guard<std::mutex> lock(faults.mutex);
        const int64_t number = Entered(faults, function);
        for (Entry& entry : faults.entries) {
            if (Strikes(entry, function, device, number) && first == nullptr) {
                first = &entry;
            }
        }
    }
    if (first == nullptr) {
        return {};
    }
    if (first->word == "crash") {
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    while (first->word == "hang") {
        pause();
    }
    if (first->status != 0) {
        return {
            Fail(static_cast<aclError>(first->status),
                 std::string(function) + ": injected by ASCENDSIM_FAULTS (" + first->text + ")")};
    }
    return {ACL_SUCCESS, first->word == "short", first->word == "wrong"};
}

aclError Injected(const char* function) { return CountCall(function, CurrentDevice()).status; }

}  // namespace ascendsim
