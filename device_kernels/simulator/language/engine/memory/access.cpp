// Whether accesses to UB are allowed: inside a buffer, defined, and ordered after what other pipes
// did to the same bytes.
#include "access.h"

#include <string>

#include "../order/trace.h"
#include "../schedule/core.h"
#include "definedness.h"

namespace ascendsim {
namespace {

const char* Verb(Access access) {
    return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "adds to";
}

const char* Past(Access access) {
    return access == Access::Read ? "read" : access == Access::Write ? "wrote" : "added to";
}

Code CodeOf(Pipe one, Pipe other) {
    if (one == other) {
        return Code::BarrierMissing;
    }
    return one == Pipe::S || other == Pipe::S ? Code::SyncScalar : Code::SyncMissing;
}

void Judge(const Core& core, Access access, uint64_t start, uint64_t end, const Doer& doer) {
    const Pipe pipe = PipeOf(doer.pipe);
    const Meeting met = core.shadow.Find(access, start, end, [&](Pipe other, const Seen& seen) {
        return core.clocks.Ordered(pipe, other, seen.epoch) || !Judges(core.syncLevel, pipe, other);
    });
    if (met.seen != nullptr) {
        RefuseUnordered(access, met, met.start, met.start, "UB", doer);
    }
}

Seen SeenBy(const Core& core, const Doer& doer) {
    Seen seen;
    seen.where = doer.where;
    seen.operation = doer.operation;
    seen.epoch = core.clocks.Epoch(PipeOf(doer.pipe));
    return seen;
}

}  // namespace

void DeclareUb(Access access, uint64_t start, uint64_t bytes, const Doer& doer) {
    if (bytes == 0) {
        return;
    }
    Core& core = CurrentCore();
    core.last = {doer.operation, doer.where};
    if (PipeOf(doer.pipe) == Pipe::S) {
        core.work.Issue(Pipe::S);
    }
    Judge(core, access, start, start + bytes, doer);
    core.shadow.Record(PipeOf(doer.pipe), access, start, start + bytes, SeenBy(core, doer));
    if (core.pipelines.Queues()) {
        const bool reads = PipeOf(doer.pipe) == Pipe::S && access == Access::Read;
        (reads ? NoteScalarAccess : NoteAccess)(access, core.ub + start, bytes, doer);
    }
    if (Tracing()) {
        TraceAccess(NextTraceNumber(), PipeOf(doer.pipe), access, "ub", start, start + bytes);
    }
}

uint32_t BeginVector() { return static_cast<uint32_t>(CurrentCore().operands.operands.size()); }

void DeclareOperand(Access access, uint32_t elementBytes) {
    Operands& declared = CurrentCore().operands;
    declared.operands.push_back(
        {access, elementBytes, static_cast<uint32_t>(declared.pieces.size())});
}

void DeclarePiece(uint64_t start, uint64_t bytes, const Doer& doer) {
    if (bytes == 0) {
        return;
    }
    Core& core = CurrentCore();
    Operands& declared = core.operands;
    const Operand& operand = declared.operands.back();
    Judge(core, operand.access, start, start + bytes, doer);
    std::vector<Bytes>& pieces = declared.pieces;
    if (pieces.size() > operand.firstPiece && pieces.back().end == start) {
        pieces.back().end += bytes;
    } else {
        pieces.push_back({start, start + bytes});
    }
}

void EndVector(uint32_t begin, const Doer& doer) {
    Core& core = CurrentCore();
    Operands& declared = core.operands;
    if (declared.operands.size() == begin) {
        return;
    }
    core.last = {doer.operation, doer.where};
    PropagateDefinedness(core, begin);
    const Seen seen = SeenBy(core, doer);
    const uint64_t number = Tracing() ? NextTraceNumber() : 0;
    core.work.Issue(PipeOf(doer.pipe));
    size_t end = declared.pieces.size();
    uint64_t touched = 0;
    for (size_t index = declared.operands.size(); index-- > begin;) {
        const Operand& operand = declared.operands[index];
        for (size_t piece = operand.firstPiece; piece < end; ++piece) {
            touched += declared.pieces[piece].end - declared.pieces[piece].start;
            core.shadow.Record(PipeOf(doer.pipe), operand.access, declared.pieces[piece].start,
                               declared.pieces[piece].end, seen);
            if (number != 0) {
                TraceAccess(number, PipeOf(doer.pipe), operand.access, "ub",
                            declared.pieces[piece].start, declared.pieces[piece].end);
            }
        }
        end = operand.firstPiece;
    }
    core.work.TouchVector(touched);
    declared.operands.resize(begin);
    declared.pieces.resize(end);
}

void LeaveCounts(const Doer& merge) {
    Registers& registers = CurrentCore().registers;
    registers.mergedEpoch = CurrentCore().clocks.Epoch(Pipe::V);
    registers.mergedAt = merge.where;
    if (Tracing()) {
        registers.mergedTrace = NextTraceNumber();
        TraceCounts(Pipe::V, Access::Write, registers.mergedTrace);
    }
}

void JudgeCounts(const Doer& reader) {
    const Core& core = CurrentCore();
    const Registers& registers = core.registers;
    if (Tracing()) {
        TraceCounts(Pipe::S, Access::Read, registers.mergedTrace);
    }
    if (!Judges(core.syncLevel, Pipe::S, Pipe::V) ||
        core.clocks.Ordered(Pipe::S, Pipe::V, registers.mergedEpoch)) {
        return;
    }
    const Accessed merge{"MrgSort", registers.mergedAt, "V", static_cast<int32_t>(core.blockIndex)};
    Spot spot{reader.where, "S", 0, &merge};
    spot.advice =
        "Call MrgSort with an MrgSort4Info, order V_S, then call GetMrgSortResult. The page of the "
        "form that returns its counts names no condition.";
    Stop(Code::SyncScalar, spot,
         "%s reads the counts that MrgSort in line %u leaves: nothing orders pipe S after V",
         reader.operation, registers.mergedAt.line());
}

void RefuseUnordered(Access access, const Meeting& met, uint64_t start, uint64_t address,
                     const char* memory, const Doer& doer) {
    const Pipe pipe = PipeOf(doer.pipe);
    const char* other = kPipeNames[static_cast<uint32_t>(met.pipe)];
    const Accessed earlier{met.seen->operation, met.seen->where, other, met.seen->block};
    const std::string missing =
        pipe == met.pipe ? std::string("no PipeBarrier of pipe ") + other + " is between"
                         : std::string("nothing orders pipe ") + doer.pipe + " after " + other;
    Stop(CodeOf(pipe, met.pipe), {doer.where, doer.pipe, address, &earlier},
         "%s %s %s from byte %llu on, which %s %s in line %u: %s", doer.operation, Verb(access),
         memory, static_cast<unsigned long long>(start), met.seen->operation, Past(met.access),
         met.seen->where.line(), missing.c_str());
}

}  // namespace ascendsim
