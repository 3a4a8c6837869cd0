#include "diagnostics.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "../memory/poison.h"
#include "../order/hold.h"
#include "../schedule/core.h"
#include "../schedule/environment.h"
#include "../schedule/launch.h"

namespace ascendsim {
namespace {

struct Rule {
    const char* name;
    const char* severity;
    const char* advice;
};

// In the order of Code.
constexpr Rule kRules[] = {
    {"ub-capacity", "error", "Choose a smaller tile, or fewer buffers, for this machine's UB."},
    {"ub-budget", "note", "Stay inside the UB bytes that the platform reports to the tiling."},
    {"ub-overlap", "warning", "Call Destroy() on the first TPipe before the next one allocates."},
    {"ub-out-of-bounds", "error", "Compare the count and offset with the length in InitBuffer."},
    {"buffer-limit", "error", "Use fewer buffers: one TPipe manages at most 64."},
    {"pipe-state", "error", "Keep the TPipe alive, and undestroyed, while its buffers are used."},
    {"gm-out-of-bounds", "error", "Check the offset and length of the last tile and last core."},
    {"gm-read-only", "error", "Write results to an output or the workspace, never to an input."},
    {"copy-alignment", "error", "Start UB addresses at 32 bytes and GM addresses at an element."},
    {"copy-rounded", "warning", "Use DataCopyPad for lengths that are no multiple of 32 bytes."},
    {"copy-empty", "warning", "Leave the call out where there is nothing to copy."},
    {"field-truncated", "warning",
     "Use DataCopyExtParams, whose length has 32 bits, or shorter "
     "blocks."},
    {"operand-alignment", "error", "Start every vector operand at a multiple of 32 bytes in UB."},
    {"operand-overlap", "error",
     "Let operands coincide or be disjoint; widen in place only from "
     "the upper half."},
    {"merge-alignment", "warning",
     "Start lists at multiples of 32 bytes: pages of the interface differ on 8 and 32."},
    {"argument-range", "error", "Keep the argument inside its documented range."},
    {"repeat-limit", "error", "Split the call: one instruction repeats at most 255 times."},
    {"cast-mode", "error", "Use a RoundMode that Cast documents for this pair of dtypes."},
    {"assertion", "error", "Find out how the kernel's own condition came to be false."},
    {"index-unread", "note",
     "Let such a slot name a row beyond the last: another kernel may read row -1 first."},
    {"not-modelled", "error", "Judge this kernel on a device: the model knows no such call."},
    {"queue-empty", "error", "EnQue a tensor before DeQue asks for it."},
    {"queue-full", "error", "Free or dequeue a tensor first, or give the queue more buffers."},
    {"queue-state", "error",
     "Follow AllocTensor, EnQue, DeQue, FreeTensor, each once, on one "
     "queue."},
    {"atomic-left-set", "error", "Call SetAtomicNone after the copies: it changes later kernels."},
    {"sync-deadlock", "error", "Let every block of the launch call SyncAll equally often."},
    {"sync-setup", "error",
     "Launch at most as many blocks as there are cores, zero the workspace, declare the kernel "
     "type."},
    {"event-exhausted", "error", "Release event ids: a HardEvent has 8."},
    {"event-fixed", "warning",
     "Ask the TPipe for the id, by FetchEventID or AllocEventID: a queue may have a fixed one."},
    {"flag-set-twice", "error",
     "Wait for a flag before setting it again; reserve its id with "
     "AllocEventID."},
    {"flag-without-set", "error", "Set the flag earlier in the same block: this wait never ends."},
    {"flag-left-set", "error", "Wait for every flag that was set: it poisons the next kernel."},
    {"sync-missing", "error",
     "Order the two pipes: hand the tensor over by a queue that joins them, or by SetFlag and "
     "WaitFlag."},
    {"sync-scalar", "error",
     "Order the scalar unit and the pipe by SetFlag and WaitFlag from the first to the second of "
     "them, as V_S, MTE2_S or S_MTE3: no queue does."},
    {"barrier-missing", "error",
     "Put a PipeBarrier of this pipe between the two instructions: they may overlap."},
    {"early-access", "warning",
     "Order the two instructions by a flag, a queue or a barrier: a device may run them so, too."},
    {"race", "error", "Let each block write its own bytes, or put SyncAll between the accesses."},
    {"cache-unflushed", "error",
     "Call DataCacheCleanAndInvalid after SetValue, before SyncAll or a flag tells others of it."},
    {"cache-stale", "error",
     "Call DataCacheCleanAndInvalid before reading what a copy or another block has written."},
    {"cache-line-shared", "error",
     "Give each block's scalars cache lines of their own, 64 bytes from a multiple of 64 on."},
    {"cache-left-dirty", "warning", "Call DataCacheCleanAndInvalid after the last SetValue."},
    {"uninitialised-store", "error",
     "Store only what was copied or computed: mind the padding of copies and fresh buffers."},
    {"uninitialised-read", "error",
     "Read only what was copied or computed: mind the padding of copies and fresh buffers."},
    {"memory-fault", "error", "Check the index behind the pointer: nothing checks raw pointers."},
    {"kernel-crash", "error",
     "Nothing may leave a kernel: no exception, no division by zero, no endless recursion."},
    {"kernel-endless", "error", "Look for the loop after this call whose condition never ends it."},
    {"memory-exhausted", "error", "Look for what the kernel goes on allocating after this call."},
};
static_assert(std::size(kRules) == static_cast<size_t>(Code::MemoryExhausted) + 1);

struct Finding {
    Code code;
    std::string message;
    std::string kernel;
    std::string file;
    uint32_t line;
    int64_t block;
    std::string pipe;
    uint64_t address;
    // The earlier access of two; no operation: there is none.
    std::string earlierOperation{};
    std::string earlierFile{};
    uint32_t earlierLine = 0;
    int64_t earlierBlock = -1;
    std::string earlierPipe{};
    bool tolerated = false;
    const char* advice = "";
};

// What nobody takes must not pile up for the life of a process.
constexpr size_t kMostFindings = 1024;

struct Findings {
    std::mutex mutex;
    std::vector<Finding> untaken;
    uint64_t left = 0;  // found after the last of them, and not kept
};

// Leaked: a program may launch kernels from its static destructors.
Findings& TheFindings() {
    static Findings* findings = new Findings;
    return *findings;
}

// Per launch, which runs in one thread: the kernel, the lines remarked, the first error.
thread_local std::string recordedKernel;
char kernelOfProcess[256];  // the same, for a signal's handler
thread_local std::vector<std::pair<Code, std::pair<const char*, uint32_t>>> remarked;
thread_local std::string firstError;

const Rule& RuleOf(Code code) { return kRules[static_cast<size_t>(code)]; }

std::string Format(const char* format, va_list values) {
    char text[512];
    std::vsnprintf(text, sizeof text, format, values);
    return text;
}

// A header that a kernel includes by "../" has a name with that in it.
std::string FileOf(CallSite where) {
    return std::filesystem::path(where.file_name()).lexically_normal().string();
}

// Whether ASCENDSIM_TOLERATED, a list of codes with commas between them, names this one.
bool Tolerated(Code code) {
    static const std::string named = [] {
        const char* given = Variable("ASCENDSIM_TOLERATED");
        return "," + std::string(given == nullptr ? "" : given) + ",";
    }();
    return named.find("," + std::string(RuleOf(code).name) + ",") != std::string::npos;
}

bool IsFirstOfLine(Code code, const Spot& spot) {
    const std::pair line(code, std::pair(spot.where.file_name(), spot.where.line()));
    if (std::find(remarked.begin(), remarked.end(), line) != remarked.end()) {
        return false;
    }
    remarked.push_back(line);
    return true;
}

Finding Record(Code code, const Spot& spot, const std::string& message, bool tolerated = false) {
    const Core* core = RunningCore();
    Finding finding{code,
                    message + PoisonIn(message),
                    recordedKernel,
                    FileOf(spot.where),
                    spot.where.line(),
                    core == nullptr ? -1 : static_cast<int64_t>(core->blockIndex),
                    spot.pipe,
                    spot.address};
    if (const Accessed* earlier = spot.earlier) {
        finding.earlierOperation = earlier->operation;
        finding.earlierFile = FileOf(earlier->where);
        finding.earlierLine = earlier->where.line();
        finding.earlierBlock = earlier->block;
        finding.earlierPipe = earlier->pipe;
    }
    finding.tolerated = tolerated;
    finding.advice = spot.advice == nullptr ? RuleOf(code).advice : spot.advice;
    Findings& findings = TheFindings();
    const std::lock_guard lock(findings.mutex);
    if (findings.untaken.size() < kMostFindings) {
        findings.untaken.push_back(finding);
    } else {
        ++findings.left;
    }
    return finding;
}

// Says what is known of the place: a launch is refused before its first block, and an exception
// does not say which line threw it.
std::string Sentence(const Finding& finding) {
    std::string text = std::string("[") + RuleOf(finding.code).name + "] kernel " + finding.kernel;
    if (finding.block >= 0) {
        text += ", block " + std::to_string(finding.block);
    }
    if (finding.line != 0) {
        text += ", " + finding.file + ":" + std::to_string(finding.line);
    }
    return text + ": " + finding.message + ". " + finding.advice;
}

std::string EarlierJson(const Finding& finding) {
    if (finding.earlierOperation.empty()) {
        return "null";
    }
    return "{\"operation\":" + Quoted(finding.earlierOperation) +
           ",\"file\":" + Quoted(finding.earlierFile) +
           ",\"line\":" + std::to_string(finding.earlierLine) +
           ",\"block\":" + std::to_string(finding.earlierBlock) +
           ",\"pipe\":" + Quoted(finding.earlierPipe) + "}";
}

std::string Json(const Finding& finding) {
    const Rule& rule = RuleOf(finding.code);
    return std::string("{\"code\":\"") + rule.name + "\",\"severity\":\"" +
           (finding.tolerated ? "warning" : rule.severity) +
           "\",\"message\":" + Quoted(finding.message) + ",\"advice\":" + Quoted(finding.advice) +
           ",\"kernel\":" + Quoted(finding.kernel) + ",\"file\":" + Quoted(finding.file) +
           ",\"line\":" + std::to_string(finding.line) +
           ",\"block\":" + std::to_string(finding.block) + ",\"pipe\":" + Quoted(finding.pipe) +
           ",\"address\":" + std::to_string(finding.address) +
           ",\"earlier\":" + EarlierJson(finding) + "}";
}

}  // namespace

std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char character : text) {
        if (character == '"' || character == '\\') {
            quoted += '\\';
            quoted += character;
        } else if (static_cast<unsigned char>(character) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(character));
            quoted += escape;
        } else {
            quoted += character;
        }
    }
    return quoted + '"';
}

uint64_t Written(const std::string& text, char* buffer, uint64_t capacity) {
    const uint64_t needed = text.size() + 1;
    if (buffer != nullptr && capacity >= needed) {
        std::memcpy(buffer, text.c_str(), needed);
    }
    return needed;
}

void Stop(Code code, const Spot& spot, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const Finding finding = Record(code, spot, Format(format, values));
    va_end(values);
    if (firstError.empty()) {
        firstError = Sentence(finding);
    }
    throw KernelStopped{};
}

void Remark(Code code, const Spot& spot, const char* format, ...) {
    if (!IsFirstOfLine(code, spot)) {
        return;
    }
    va_list values;
    va_start(values, format);
    Record(code, spot, Format(format, values));
    va_end(values);
}

bool IsRemarked(Code code) {
    return std::any_of(remarked.begin(), remarked.end(),
                       [code](const auto& one) { return one.first == code; });
}

void Concern(Code code, const Spot& spot, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const std::string message = Format(format, values);
    va_end(values);
    if (!Tolerated(code)) {
        Stop(code, spot, "%s", message.c_str());
    }
    if (IsFirstOfLine(code, spot)) {
        Record(code, spot, message, true);
    }
}

uint64_t DescribeEnding(Code code, const char* what, const Core& core, char* text,
                        uint64_t capacity) {
    const Rule& rule = RuleOf(code);
    const CallSite& where = core.last.where;
    char message[256];
    if (where.line() == 0) {
        std::snprintf(message, sizeof message, "%s; it has made no call", what);
    } else {
        std::snprintf(message, sizeof message, "%s; its last call was %s in line %u", what,
                      core.last.operation, static_cast<unsigned>(where.line()));
    }
    const int written = std::snprintf(
        text, capacity,
        "{\"code\":\"%s\",\"severity\":\"%s\",\"message\":\"%s\",\"advice\":\"%s\","
        "\"kernel\":\"%s\",\"file\":\"%s\",\"line\":%u,\"block\":%u,\"pipe\":\"S\"}",
        rule.name, rule.severity, message, rule.advice, kernelOfProcess, where.file_name(),
        static_cast<unsigned>(where.line()), static_cast<unsigned>(core.blockIndex));
    return written < 0 ? 0 : std::min<uint64_t>(static_cast<uint64_t>(written), capacity - 1);
}

void BeginRecord(const char* kernel) {
    std::snprintf(kernelOfProcess, sizeof kernelOfProcess, "%s", kernel);
    recordedKernel = kernel;
    remarked.clear();
    firstError.clear();
}

const char* EndRecord() { return firstError.c_str(); }

}  // namespace ascendsim

extern "C" uint64_t ascendsimTakeDiagnostics(char* buffer, uint64_t capacity) {
    using namespace ascendsim;
    if (IsHeld(__func__)) {
        return Written("[]", buffer, capacity);
    }
    Findings& findings = TheFindings();
    const std::lock_guard lock(findings.mutex);
    std::string text = "[";
    for (const Finding& finding : findings.untaken) {
        text += text.size() > 1 ? "," : "";
        const bool isLast = &finding == &findings.untaken.back();
        if (isLast && findings.left != 0) {
            Finding last = finding;
            last.message += " (" + std::to_string(findings.left) + " later findings are not kept)";
            text += Json(last);
        } else {
            text += Json(finding);
        }
    }
    text += "]";
    const uint64_t needed = Written(text, buffer, capacity);
    if (buffer != nullptr && capacity >= needed) {
        findings.untaken.clear();
        findings.left = 0;
    }
    return needed;
}
