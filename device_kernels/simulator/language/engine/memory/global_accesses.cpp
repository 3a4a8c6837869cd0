// Whether accesses to global memory are allowed: ordered inside a block, and between blocks.
#include "global_accesses.h"

#include <vector>

#include "../order/trace.h"
#include "../schedule/core.h"
#include "data_cache.h"

namespace ascendsim {
namespace {

int32_t BlockOf(const Core& core) { return static_cast<int32_t>(core.blockIndex); }

// Another block's access since the last SyncAll; -1: none.
int32_t Rival(const Core& core, const Seen& seen) {
    return RivalOf(seen, BlockOf(core), core.phase);
}

[[noreturn]] void RefuseRace(const Core& core, const Meeting& met, const RegionShadow& region,
                             const char* name, Access access, const Doer& doer) {
    const Accessed earlier{met.seen->operation, met.seen->where,
                           kPipeNames[static_cast<uint32_t>(met.pipe)], Rival(core, *met.seen)};
    Stop(Code::Race, {doer.where, doer.pipe, region.start + met.start, &earlier},
         "%s %s byte %llu of %s, which block %d %s by %s in line %u with no SyncAll between",
         doer.operation, access == Access::Read ? "reads" : "writes",
         static_cast<unsigned long long>(met.start), name, Rival(core, *met.seen),
         met.access == Access::Read ? "reads" : "writes", met.seen->operation,
         met.seen->where.line());
}

// Remembers a read. Where other blocks have read since the last SyncAll too, both are kept: a write
// by either of them meets the other.
void RecordRead(const Core& core, Shadow& shadow, Pipe pipe, uint64_t start, uint64_t end,
                const Seen& seen) {
    struct Shared {
        uint64_t start;
        uint64_t end;
        int32_t rival;
    };
    std::vector<Shared> shared;
    shadow.ForEach(pipe, Access::Read, start, end,
                   [&](uint64_t first, uint64_t behind, const Seen& before) {
                       if (const int32_t rival = Rival(core, before); rival >= 0) {
                           shared.push_back({first, behind, rival});
                       }
                   });
    shadow.Record(pipe, Access::Read, start, end, seen);
    for (const Shared& part : shared) {
        Seen both = seen;
        both.sharer = part.rival;
        shadow.Record(pipe, Access::Read, part.start, part.end, both);
    }
}

}  // namespace

void DeclareGlobal(RegionShadow& region, const char* name, uint64_t address, uint64_t bytes,
                   Access access, const Doer& doer) {
    const Core& core = CurrentCore();
    const Pipe pipe = PipeOf(doer.pipe);
    const uint64_t start = address - region.start;
    // Before it is judged: who reads the trace finds the access that a race is stopped at.
    if (Tracing()) {
        TraceAccess(NextTraceNumber(), pipe, access, name, start, start + bytes);
    }
    const Meeting met =
        region.accesses.Find(access, start, start + bytes, [&](Pipe other, const Seen& seen) {
            if (Rival(core, seen) >= 0) {
                return false;
            }
            return seen.block != BlockOf(core) || core.clocks.Ordered(pipe, other, seen.epoch) ||
                   !Judges(core.syncLevel, pipe, other);
        });
    if (met.seen != nullptr) {
        if (Rival(core, *met.seen) >= 0) {
            RefuseRace(core, met, region, name, access, doer);
        }
        RefuseUnordered(access, met, met.start, region.start + met.start, name, doer);
    }
    if (pipe == Pipe::S && region.role == Role::Workspace) {
        if (access == Access::Read && region.undefined.Meets(start, start + bytes)) {
            Stop(Code::UninitialisedRead,
                 {doer.where, doer.pipe, address, nullptr, kWriteWorkspace},
                 "%s of byte %llu of %s, where nothing has put a value", doer.operation,
                 static_cast<unsigned long long>(start), name);
        }
        if (access != Access::Read) {
            region.undefined.Remove(start, start + bytes);
        }
    }
    Seen seen;
    seen.where = doer.where;
    seen.operation = doer.operation;
    seen.epoch = core.clocks.Epoch(pipe);
    seen.phase = core.phase;
    seen.block = BlockOf(core);
    if (core.syncLevel >= SyncLevel::Scalar && (pipe == Pipe::S || CachesInUse())) {
        DeclareCached(region, name, address, bytes, access, doer, seen);
    }
    if (core.pipelines.Queues()) {
        const auto* memory = reinterpret_cast<const void*>(address);
        (pipe == Pipe::S ? NoteScalarAccess : NoteAccess)(access, memory, bytes, doer);
    }
    if (access == Access::Read) {
        RecordRead(core, region.accesses, pipe, start, start + bytes, seen);
    } else {
        region.accesses.Record(pipe, access, start, start + bytes, seen);
    }
}

}  // namespace ascendsim
