// The one place through which an instruction says which bytes it reads and writes, and with which
// pipe: each access is judged against those before it, then remembered.
//
// Copies and scalar accesses declare one access at a time. A vector instruction reads and writes as
// a whole: its operands are judged as they are declared, and remembered when it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "../report/checks.h"
#include "ranges.h"
#include "shadow.h"

namespace ascendsim {

struct Core;

// An instruction or scalar access, as a check needs to know it.
struct Doer {
    const char* operation;
    const char* pipe;
    CallSite where;
};

// Bytes [start, start + bytes) of the running core's UB.
void DeclareUb(Access access, uint64_t start, uint64_t bytes, const Doer& doer);

// The operands that vector instructions have declared and that are not remembered yet: those of a
// function that calls another one lie below the other's.
struct Operand {
    Access access;
    uint32_t elementBytes;
    uint32_t firstPiece;
};
struct Operands {
    std::vector<Operand> operands;
    std::vector<Bytes> pieces;  // of all operands, in the order of their elements
};

// One vector instruction from its first operand on. `BeginVector` tells where its operands begin,
// for `EndVector`. Between DeclareOperand and the next one, DeclarePiece adds bytes to the operand.
uint32_t BeginVector();
void DeclareOperand(Access access, uint32_t elementBytes);
void DeclarePiece(uint64_t start, uint64_t bytes, const Doer& doer);
void EndVector(uint32_t begin, const Doer& doer);

// A merge leaves its counts in a register of V, which the scalar unit reads: `JudgeCounts` stops
// where that is not ordered behind the last merge.
void LeaveCounts(const Doer& merge);
void JudgeCounts(const Doer& reader);

// Stops the kernel because `doer` meets an access of its own block that nothing orders before it,
// in `memory`, "UB" or the name of a region; the addresses are offsets there, but for `address`.
[[noreturn, gnu::cold]] void RefuseUnordered(Access access, const Meeting& met, uint64_t start,
                                             uint64_t address, const char* memory,
                                             const Doer& doer);

// How strict the checks of synchronisation are: each level has those before it.
enum class SyncLevel : uint8_t { None, Pipes, Scalar, Vector };
SyncLevel ConfiguredSyncLevel();

// Whether this level of checks wants two pipes ordered by the kernel.
constexpr bool Judges(SyncLevel level, Pipe one, Pipe other) {
    if (one == other) {
        return level >= SyncLevel::Vector;
    }
    const bool scalar = one == Pipe::S || other == Pipe::S;
    return level >= (scalar ? SyncLevel::Scalar : SyncLevel::Pipes);
}

}  // namespace ascendsim
