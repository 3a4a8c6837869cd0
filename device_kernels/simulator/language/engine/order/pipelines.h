// The queues of the pipes of a core: effects of instructions that have been issued and not run.
//
// An instruction is judged when it is issued, in program order. Its effect, which reads, computes
// and writes, runs at once in the schedule `program`. In another schedule it waits in the queue of
// its pipe until the schedule, a flag, a barrier or a queue of tensors comes to it. What V and the
// scalar unit write may be seen at once, or only from the next point on that orders it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "../memory/ranges.h"
#include "../report/checks.h"
#include "clocks.h"
#include "early.h"
#include "effect.h"
#include "held_bytes.h"
#include "pipe_queue.h"

namespace ascendsim {

enum class Schedule : uint8_t {
    Program,  // each effect runs when its instruction is issued
    Late,     // each as late as flags, barriers and queues allow
    Random,   // a legal interleaving that a seed stands for
};
struct PipeSchedule {
    Schedule kind = Schedule::Program;
    uint64_t seed = 0;
};

// The schedule of the next launch, as ascendsimPipes or ASCENDSIM_PIPES says.
PipeSchedule ConfiguredPipes();

// Pairs of instructions of a block that are compared: all of a case that a person reads, and of a
// large one, where thousands wait, its beginning.
constexpr uint32_t kMostLooks = 1 << 16;

class Pipelines {
public:
    // Empty queues, as a block begins with.
    void Begin(const PipeSchedule& schedule, uint32_t block);

    bool Queues() const { return schedule_.kind != Schedule::Program; }

    // Whether instructions are still compared: what is only read is of no use otherwise.
    bool Looks() const { return looks_ <= kMostLooks; }

    // An access of a copy, or of the scalar unit to UB: part of the next Add or Write.
    void Declare(const Touched& touched, const Doer& doer);
    // One that has taken effect, as those of the scalar unit do.
    void HappensNow(const Touched& touched, const Doer& doer);

    // So has what was declared last.
    void HappensNow();

    // A copy is issued, which has declared what it touches.
    void Add(Pipe pipe, Effect&& effect);
    // An instruction of V is issued. `read`: it has read its operands already.
    void AddVector(Effect&& effect, TouchedBytes&& touched, const Doer& doer, bool read);

    // The scalar unit writes bytes of UB, which it reads back at once. Other pipes may see them
    // only from its next flag on.
    void Write(uint64_t start, const uint8_t* bytes, size_t count);
    void Read(uint64_t start, uint8_t* bytes, size_t count) const;
    void ShowWritten();

    // SetFlag in `source`: the place in its queue up to which WaitFlag waits.
    uint64_t Signal(Pipe source);
    // WaitFlag in `waiter`. The scalar unit waits now.
    void Await(Pipe waiter, Pipe source, uint64_t place);
    // PipeBarrier of one pipe, which runs its instructions one after the other.
    void Barrier(Pipe pipe);

    // Runs what the pipe has queued, as an instruction has to that runs when it is issued.
    void Finish(Pipe pipe);
    // PipeBarrier<PIPE_ALL>, SyncAll and the end of a kernel.
    void FinishAll();
    // After an error nothing more happens.
    void Drop();

private:
    PipeQueue& Of(Pipe pipe) { return queues_[static_cast<uint32_t>(pipe)]; }
    void Enqueue(Pipe pipe, Effect&& effect, Footprint&& footprint);
    Instruction& Put(Pipe pipe, const Mark& mark);
    void Judge(const Footprint& happening);
    void JudgeHeld(const Footprint& happening, const Reach& reach, const HeldBytes& held);
    void JudgeRun(const Footprint& footprint, bool holds);
    void RunTo(Pipe pipe, uint64_t place);
    void RunHead(Pipe pipe);
    void Run(Pipe pipe, Instruction& instruction);
    bool IsBlocked(Pipe pipe);
    bool Chance(uint32_t outOf256);
    void Show(HeldBytes& held);

    PipeSchedule schedule_;
    std::string name_;
    uint64_t issued_ = 0;  // instructions, and scalar accesses
    uint32_t looks_ = 0;   // pairs of instructions that Judge has compared
    Footprint declared_;   // what the next copy or scalar write has declared
    uint64_t random_ = 0;
    std::array<Pipe, 3> order_{};           // the pipes, from the one that is ahead
    std::array<uint32_t, 3> ahead_{};       // the chance of each to run its next entry, out of 256
    std::array<PipeQueue, kPipes> queues_;  // that of S stays empty
    HeldBytes held_;                        // results of V
    HeldBytes written_;                     // elements that the scalar unit has written
    HeldBytes shown_;                       // what is shown at the moment
};

// Whether the running core's effects wait.
bool QueuesEffects();

// Queues the effect of an instruction of the running core: of a copy, or of one of V, which touches
// the operands that it has declared from `operands` on. `read`: it has read them already.
void QueueEffect(Pipe pipe, Effect&& effect);
void QueueVector(uint32_t operands, Effect&& effect, const Doer& doer, bool read);
// The same for bytes of UB that an instruction of V leaves with anything in them.
void QueueClobber(Effect&& effect, Bytes written, const Doer& doer);

// Where effects wait: an access of a copy, or of the scalar unit to UB, that is about to be made,
// and one of the scalar unit that is made now.
void NoteAccess(Access access, const void* start, uint64_t bytes, const Doer& doer);
void NoteScalarAccess(Access access, const void* start, uint64_t bytes, const Doer& doer);

// Scalar accesses of UB, where effects wait. WroteScalar: what was noted last is in UB, at once.
void WroteScalar();
void WriteScalar(uint64_t start, const void* value, size_t bytes);
void ReadScalar(uint64_t start, void* value, size_t bytes);

// Shows what the scalar unit has written: a library function goes on with it.
void ShowScalar();

// Runs what the pipe has queued.
void FinishPipe(Pipe pipe);

// The effect of an instruction that has been judged: now, or when its pipe comes to it. It captures
// values only.
template <typename Body>
void Perform(Pipe pipe, Body effect) {
    if constexpr (kChecks) {
        if (QueuesEffects()) {
            QueueEffect(pipe, std::move(effect));
            return;
        }
    }
    effect();
}

}  // namespace ascendsim
