#include "trace.h"

#include <cstdio>
#include <string>

#include "../schedule/core.h"
#include "../schedule/environment.h"

namespace ascendsim {
namespace {

// Never closed: launches may come from static destructors. Every line is written at once.
std::FILE* File() {
    static std::FILE* file = [] {
        const char* name = Variable("ASCENDSIM_TRACE");
        std::FILE* opened = name == nullptr ? nullptr : std::fopen(name, "a");
        if (opened != nullptr) {
            std::setvbuf(opened, nullptr, _IOLBF, 0);
        }
        return opened;
    }();
    return file;
}

const char* Name(Pipe pipe) { return kPipeNames[static_cast<uint32_t>(pipe)]; }

}  // namespace

bool Tracing() { return File() != nullptr; }

void TraceLaunch(const char* kernel, uint32_t blocks) {
    std::fprintf(File(), "launch %s %u\n", kernel, blocks);
}

uint64_t NextTraceNumber() {
    static uint64_t number = 0;  // launches run one at a time
    return ++number;
}

void TraceAccess(uint64_t number, Pipe pipe, Access access, const char* memory, uint64_t start,
                 uint64_t end) {
    const Core& core = CurrentCore();
    std::fprintf(File(), "access %u %u %s %llu %c %s %llu %llu\n", core.blockIndex, core.phase,
                 Name(pipe), static_cast<unsigned long long>(number),
                 "rwa"[static_cast<uint32_t>(access)], memory,
                 static_cast<unsigned long long>(start), static_cast<unsigned long long>(end));
}

void TraceCounts(Pipe pipe, Access access, uint64_t merge) {
    const std::string memory = "counts " + std::to_string(merge);
    TraceAccess(NextTraceNumber(), pipe, access, memory.c_str(), 0,
                sizeof(Registers::mergedCounts));
}

void TraceFlag(const char* what, Pipe from, Pipe to, int32_t id) {
    std::fprintf(File(), "%s %u %s %s %d\n", what, CurrentCore().blockIndex, Name(from), Name(to),
                 id);
}

void TraceBarrier(const char* pipe) {
    std::fprintf(File(), "barrier %u %s\n", CurrentCore().blockIndex, pipe);
}

void TraceSync() { std::fprintf(File(), "sync %u\n", CurrentCore().blockIndex); }

}  // namespace ascendsim
