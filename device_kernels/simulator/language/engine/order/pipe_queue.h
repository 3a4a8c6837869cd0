// The queue of one pipe: what has been issued to it and has not run, in order.
//
// Of each entry a few bytes say what it is and where it reaches, since most of those that wait are
// looked at and far from what is looked for. Entries that have left keep their memory for later
// ones.
#pragma once

#include <cstdint>
#include <vector>

#include "../memory/ranges.h"
#include "../schedule/registers.h"
#include "clocks.h"
#include "early.h"
#include "effect.h"

namespace ascendsim {

// The memory that an instruction touches, from the first byte to behind the last: in UB, and
// elsewhere.
struct Reach {
    Bytes ub{~uint64_t{0}, 0};
    Bytes global{~uint64_t{0}, 0};

    bool Meets(const Reach& other) const {
        return Meet(ub, other.ub) || Meet(global, other.global);
    }
};

enum class Queued : uint8_t {
    Instruction,
    Wait,  // for another pipe
    Show,  // what V has written
};

struct Mark {
    Queued kind = Queued::Show;
    Pipe source = Pipe::S;  // of Wait
    uint64_t number = 0;    // of an instruction; of Wait, the place in the queue of `source`
    Reach reach;            // of an instruction
};

// An instruction: its effect, and the registers as they were at issue.
struct Instruction {
    Instruction() {}  // slots are many: what an effect has inside is not cleared
    Effect effect;
    Footprint footprint;
    float deqScale = 0.0f;
    AtomicRegister atomic{};
};

class PipeQueue {
public:
    // Places count from the first entry of the block on: the first that waits, and the next one.
    uint64_t Done() const { return done_; }
    uint64_t Issued() const { return issued_; }
    uint64_t Waiting() const { return issued_ - done_; }

    const Mark& At(uint64_t place) const { return marks_[Slot(place)]; }
    Instruction& InstructionAt(uint64_t place) { return instructions_[Slot(place)]; }
    const Instruction& InstructionAt(uint64_t place) const { return instructions_[Slot(place)]; }

    // A new last entry. If it is an instruction, what is returned is to be filled.
    Instruction& Put(const Mark& mark);

    // The first entry leaves. Its memory is its own until the next one is put.
    void Leave() { ++done_; }

    // Nothing waits, and nothing has been issued.
    void Clear();

private:
    // The number of slots is a power of two.
    uint64_t Slot(uint64_t place) const { return place & (marks_.size() - 1); }
    void Grow();

    std::vector<Mark> marks_;
    std::vector<Instruction> instructions_;
    uint64_t done_ = 0;
    uint64_t issued_ = 0;
};

}  // namespace ascendsim
