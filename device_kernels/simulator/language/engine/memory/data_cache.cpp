#include "data_cache.h"

#include <algorithm>
#include <map>
#include <vector>

#include "../schedule/core.h"
#include "global_accesses.h"

namespace ascendsim {
namespace {

// What one core holds of a line; a bit stands for a byte.
struct Copy {
    int32_t block;
    uint64_t dirty = 0;  // yet to be written back
    uint64_t stale = 0;  // written elsewhere since the line was fetched
    Seen written{};      // what made it dirty
    Seen elsewhere{};    // what made it stale
    Pipe elsewhereBy = Pipe::S;
};

struct Line {
    std::vector<Copy> copies;
    int32_t writer = -1;  // the block whose scalar unit wrote here last, also if it is written back
    Seen written{};
    // What one block wrote back in one phase: to the others it is not there before the next.
    Copy cleaned{-1};
    uint32_t cleanedIn = 0;
};

// Of the running launch, by address / kCacheLine.
thread_local std::map<uint64_t, Line> lines;

// An access as far as it lies in one line.
struct Part {
    uint64_t line;
    uint64_t mask;
    Part(uint64_t number, uint64_t start, uint64_t end) : line(number) {
        const uint64_t from = std::max(start, number * kCacheLine) - number * kCacheLine;
        const uint64_t to = std::min(end, (number + 1) * kCacheLine) - number * kCacheLine;
        mask = (to - from == kCacheLine ? ~uint64_t{0} : (uint64_t{1} << (to - from)) - 1) << from;
    }
    uint64_t FirstOf(uint64_t bits) const {
        return line * kCacheLine + static_cast<uint64_t>(__builtin_ctzll(bits));
    }
};

struct Caller {
    const RegionShadow& region;
    const char* name;
    Access access;
    const Doer& doer;
    const Seen& seen;

    const char* Verb() const { return access == Access::Read ? "reads" : "writes"; }
    unsigned long long OffsetOf(uint64_t address) const { return address - region.start; }
};

[[noreturn]] void RefuseUnflushed(const Caller& caller, const Copy& copy, uint64_t at) {
    const Accessed earlier{copy.written.operation, copy.written.where, "S", copy.block};
    Stop(Code::CacheUnflushed, {caller.doer.where, caller.doer.pipe, at, &earlier},
         "%s %s byte %llu of %s, which %s wrote in line %u and which is still in the data cache of "
         "block %d",
         caller.doer.operation, caller.Verb(), caller.OffsetOf(at), caller.name,
         copy.written.operation, copy.written.where.line(), copy.block);
}

[[noreturn]] void RefuseStale(const Caller& caller, const Copy& copy, uint64_t at) {
    const char* pipe = kPipeNames[static_cast<uint32_t>(copy.elsewhereBy)];
    const Seen& other = copy.elsewhere;
    const Accessed earlier{other.operation, other.where, pipe, other.block};
    const char* what = caller.access == Access::Read ? "reads" : "writes into the line of";
    Stop(Code::CacheStale, {caller.doer.where, "S", at, &earlier},
         "%s %s byte %llu of %s from the data cache, which has held it since before %s of block %d "
         "wrote it in line %u",
         caller.doer.operation, what, caller.OffsetOf(at), caller.name, other.operation,
         other.block, other.where.line());
}

[[noreturn]] void RefuseShared(const Caller& caller, const Seen& other, const char* pipe,
                               uint64_t at) {
    const Accessed earlier{other.operation, other.where, pipe, other.block};
    Stop(Code::CacheLineShared, {caller.doer.where, caller.doer.pipe, at, &earlier},
         "%s writes byte %llu of %s in the cache line of %llu bytes that block %d writes by %s in "
         "line %u",
         caller.doer.operation, caller.OffsetOf(at), caller.name,
         static_cast<unsigned long long>(kCacheLine), other.block, other.operation,
         other.where.line());
}

Copy* CopyOf(Line& line, int32_t block) {
    for (Copy& copy : line.copies) {
        if (copy.block == block) {
            return &copy;
        }
    }
    return nullptr;
}

// The running block fetches the line: what others have yet to write back is missing there.
Copy& Fetch(Line& line, int32_t block) {
    if (Copy* held = CopyOf(line, block)) {
        return *held;
    }
    Copy fetched{block};
    for (const Copy& copy : line.copies) {
        if (copy.dirty != 0) {
            fetched.stale |= copy.dirty;
            fetched.elsewhere = copy.written;
        }
    }
    return line.copies.emplace_back(fetched);
}

void Outdate(Line& line, const Part& part, const Caller& caller, Pipe pipe) {
    for (Copy& copy : line.copies) {
        if (pipe != Pipe::S || copy.block != caller.seen.block) {
            copy.stale |= part.mask;
            copy.elsewhere = caller.seen;
            copy.elsewhereBy = pipe;
        }
    }
}

void RequireClean(const Copy& copy, const Part& part, const Caller& caller) {
    if ((copy.dirty & part.mask) != 0) {
        RefuseUnflushed(caller, copy, part.FirstOf(copy.dirty & part.mask));
    }
    if (copy.dirty != 0 && caller.access != Access::Read) {
        RefuseShared(caller, copy.written, "S", part.FirstOf(part.mask));
    }
}

void RequireNothingDirty(const Line& line, const Part& part, const Caller& caller, Pipe pipe) {
    for (const Copy& copy : line.copies) {
        if (pipe != Pipe::S || copy.block != caller.seen.block) {
            RequireClean(copy, part, caller);
        }
    }
    if (line.cleanedIn == caller.seen.phase && line.cleaned.block != caller.seen.block) {
        RequireClean(line.cleaned, part, caller);
    }
}

void CopyPart(const Part& part, const Caller& caller, Pipe pipe) {
    Line& line = lines.find(part.line)->second;
    RequireNothingDirty(line, part, caller, pipe);
    if (caller.access == Access::Read) {
        return;
    }
    if (line.writer >= 0 && line.writer != caller.seen.block &&
        line.written.phase == caller.seen.phase) {
        RefuseShared(caller, line.written, "S", part.FirstOf(part.mask));
    }
    Outdate(line, part, caller, pipe);
}

void ReadScalar(Line& line, const Part& part, const Caller& caller) {
    if (CopyOf(line, caller.seen.block) == nullptr) {
        RequireNothingDirty(line, part, caller, Pipe::S);
    }
    const Copy& copy = Fetch(line, caller.seen.block);
    if (const uint64_t old = copy.stale & part.mask & ~copy.dirty; old != 0) {
        RefuseStale(caller, copy, part.FirstOf(old));
    }
}

void WriteScalar(Line& line, const Part& part, const Caller& caller) {
    const uint64_t start = part.line * kCacheLine;
    const uint64_t from = std::max(start, caller.region.start) - caller.region.start;
    const uint64_t to = std::min(start + kCacheLine - caller.region.start, caller.region.bytes);
    const Meeting met =
        caller.region.accesses.Find(Access::Read, from, to, [&](Pipe, const Seen& seen) {
            return RivalOf(seen, caller.seen.block, caller.seen.phase) < 0;
        });
    if (met.seen != nullptr) {
        RefuseShared(caller, *met.seen, kPipeNames[static_cast<uint32_t>(met.pipe)],
                     part.FirstOf(part.mask));
    }
    RequireNothingDirty(line, part, caller, Pipe::S);
    Copy& copy = Fetch(line, caller.seen.block);
    if (const uint64_t old = copy.stale & ~part.mask; old != 0) {
        RefuseStale(caller, copy, part.FirstOf(old));
    }
    copy.stale = 0;
    copy.dirty |= part.mask;
    copy.written = caller.seen;
    line.writer = caller.seen.block;
    line.written = caller.seen;
    Outdate(line, part, caller, Pipe::S);
}

void RememberCleaned(Line& line, const Copy& copy, uint64_t mask, uint32_t phase) {
    if (line.cleaned.block != copy.block || line.cleanedIn != phase) {
        line.cleaned = Copy{copy.block};
        line.cleanedIn = phase;
    }
    line.cleaned.dirty |= copy.dirty & mask;
    line.cleaned.written = copy.written;
}

void Clean(Line& line, uint64_t mask) {
    const Core& core = CurrentCore();
    const auto cleaned = [&](Copy& copy) {
        if (copy.block != static_cast<int32_t>(core.blockIndex)) {
            return false;
        }
        if ((copy.dirty & mask) != 0) {
            RememberCleaned(line, copy, mask, core.phase);
        }
        copy.dirty &= ~mask;
        copy.stale &= ~mask;
        return copy.dirty == 0;
    };
    line.copies.erase(std::remove_if(line.copies.begin(), line.copies.end(), cleaned),
                      line.copies.end());
}

}  // namespace

void EmptyCaches() { lines.clear(); }

bool CachesInUse() { return !lines.empty(); }

void DeclareCached(const RegionShadow& region, const char* name, uint64_t address, uint64_t bytes,
                   Access access, const Doer& doer, const Seen& seen) {
    const Pipe pipe = PipeOf(doer.pipe);
    const Caller caller{region, name, access, doer, seen};
    const uint64_t end = address + bytes;
    const uint64_t last = (end - 1) / kCacheLine;
    if (pipe != Pipe::S) {
        for (auto line = lines.lower_bound(address / kCacheLine);
             line != lines.end() && line->first <= last; ++line) {
            CopyPart(Part(line->first, address, end), caller, pipe);
        }
        return;
    }
    if (access == Access::Atomic) {
        return;  // SyncAll minds the cache itself
    }
    for (uint64_t number = address / kCacheLine; number <= last; ++number) {
        const Part part(number, address, end);
        Line& line = lines[number];
        if (access == Access::Read) {
            ReadScalar(line, part, caller);
        } else {
            WriteScalar(line, part, caller);
        }
    }
}

void CleanCacheLine(uint64_t address) {
    const auto line = lines.find(address / kCacheLine);
    if (line != lines.end()) {
        Clean(line->second, ~uint64_t{0} << address % kCacheLine);
    }
}

void CleanCache() {
    for (auto& [number, line] : lines) {
        Clean(line, ~uint64_t{0});
    }
}

void RemarkDirtyLines() {
    const auto block = static_cast<int32_t>(CurrentCore().blockIndex);
    for (auto& [number, line] : lines) {
        const Copy* copy = CopyOf(line, block);
        if (copy != nullptr && copy->dirty != 0) {
            const auto first = static_cast<uint64_t>(__builtin_ctzll(copy->dirty));
            Remark(Code::CacheLeftDirty, {copy->written.where, "S", number * kCacheLine + first},
                   "what %s writes here is still in the data cache at the end of the kernel",
                   copy->written.operation);
        }
    }
}

}  // namespace ascendsim
