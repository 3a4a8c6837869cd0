#include "pipelines.h"

#include <algorithm>
#include <iterator>

#include "../schedule/core.h"
#include "../schedule/random.h"

namespace ascendsim {
namespace {

constexpr uint32_t kAlways = 256;
constexpr size_t kMostQueued = 4096;  // of one pipe: beyond that its oldest entry runs

// The number of what is written when instructions are compared no longer.
constexpr uint64_t kUnjudged = ~uint64_t{0};

constexpr size_t kMostWritten = 16;  // elements that the scalar unit keeps from the other pipes

// Each pipe is ahead of each other one in half of the orders. The first is `late`: whoever takes
// something over is ahead of whoever makes it.
constexpr std::array<Pipe, 3> kOrders[] = {
    {Pipe::MTE3, Pipe::V, Pipe::MTE2}, {Pipe::MTE2, Pipe::V, Pipe::MTE3},
    {Pipe::V, Pipe::MTE2, Pipe::MTE3}, {Pipe::V, Pipe::MTE3, Pipe::MTE2},
    {Pipe::MTE3, Pipe::MTE2, Pipe::V}, {Pipe::MTE2, Pipe::MTE3, Pipe::V},
};
// The chances to run of the first pipe of an order, the second and the third.
constexpr std::array<uint32_t, 3> kChances[] = {
    {kAlways, kAlways / 2, 0}, {kAlways, 0, 0}, {kAlways / 2, kAlways / 2, kAlways / 2}};

// The footprint without what it writes or adds to.
Footprint ReadsOf(const Footprint& whole) {
    Footprint reads{whole.doer, whole.number, {}};
    for (const Touched& one : whole.touched) {
        if (one.access == Access::Read) {
            reads.touched.push_back(one);
        }
    }
    return reads;
}

Reach ReachOf(const Footprint& footprint) {
    const Core& core = CurrentCore();
    const auto ub = reinterpret_cast<uint64_t>(core.ub);
    Reach reach;
    for (const Touched& one : footprint.touched) {
        const bool inside = one.start - ub < core.machine.physicalUbBytes;
        Bytes& mine = inside ? reach.ub : reach.global;
        mine = {std::min(mine.start, one.start), std::max(mine.end, one.end)};
    }
    return reach;
}

// What the instruction writes, as it is now.
void Keep(const Footprint& footprint, HeldBytes& held) {
    for (const Touched& one : footprint.touched) {
        if (one.access == Access::Write) {
            held.Add(one, reinterpret_cast<const uint8_t*>(one.start), footprint.doer,
                     footprint.number);
        }
    }
}

}  // namespace

void Pipelines::Begin(const PipeSchedule& schedule, uint32_t block) {
    schedule_ = schedule;
    name_ = schedule.kind == Schedule::Random ? "random:" + std::to_string(schedule.seed) : "late";
    issued_ = 0;
    looks_ = 0;
    declared_ = {};
    for (PipeQueue& queue : queues_) {
        queue.Clear();
    }
    held_.Clear();
    written_.Clear();
    if (schedule.kind == Schedule::Random) {
        const uint64_t number = schedule.seed + block;
        random_ = number;
        order_ = kOrders[number % std::size(kOrders)];
        ahead_ = kChances[number / std::size(kOrders) % std::size(kChances)];
    } else {
        order_ = kOrders[0];
        ahead_ = {};
    }
}

void Pipelines::Declare(const Touched& touched, const Doer& doer) {
    if (Looks()) {
        declared_.doer = doer;
        declared_.touched.push_back(touched);
    }
}

void Pipelines::HappensNow(const Touched& touched, const Doer& doer) {
    ++issued_;
    if (Looks()) {
        Judge({doer, issued_, {touched}});
    }
}

void Pipelines::HappensNow() {
    Footprint footprint = std::exchange(declared_, {});
    footprint.number = ++issued_;
    Judge(footprint);
}

void Pipelines::Add(Pipe pipe, Effect&& effect) {
    Enqueue(pipe, std::move(effect), std::exchange(declared_, {}));
}

void Pipelines::AddVector(Effect&& effect, TouchedBytes&& touched, const Doer& doer, bool read) {
    Footprint footprint{doer, issued_ + 1, std::move(touched)};
    if (read && Looks()) {
        Judge(ReadsOf(footprint));
    }
    Enqueue(Pipe::V, std::move(effect), std::move(footprint));
}

void Pipelines::Enqueue(Pipe pipe, Effect&& effect, Footprint&& footprint) {
    const Registers& registers = CurrentCore().registers;
    footprint.number = ++issued_;
    Instruction& instruction =
        Put(pipe, {Queued::Instruction, pipe, footprint.number, ReachOf(footprint)});
    instruction.effect = std::move(effect);
    instruction.footprint = std::move(footprint);
    instruction.deqScale = registers.deqScale;
    instruction.atomic = registers.atomic;
    for (size_t rank = 0; rank < order_.size(); ++rank) {
        const Pipe next = order_[rank];
        while (Of(next).Waiting() != 0 && !IsBlocked(next) && Chance(ahead_[rank])) {
            RunHead(next);
        }
    }
}

Instruction& Pipelines::Put(Pipe pipe, const Mark& mark) {
    if (Of(pipe).Waiting() == kMostQueued) {
        RunTo(pipe, Of(pipe).Done() + 1);
    }
    return Of(pipe).Put(mark);
}

// What has been issued before and waits, or waits to be seen, is late if `happening` needs it.
void Pipelines::Judge(const Footprint& happening) {
    const Reach reach = ReachOf(happening);
    for (const PipeQueue& queue : queues_) {
        for (uint64_t place = queue.Done(); place < queue.Issued(); ++place) {
            const Mark& mark = queue.At(place);
            if (mark.kind != Queued::Instruction) {
                continue;
            }
            ++looks_;
            if (!Looks() || mark.number >= happening.number ||
                (mark.reach.Meets(reach) &&
                 TellEarly(happening, queue.InstructionAt(place).footprint, name_))) {
                break;
            }
        }
    }
    JudgeHeld(happening, reach, held_);
    // The scalar unit reads back what it has written.
    if (PipeOf(happening.doer.pipe) != Pipe::S) {
        JudgeHeld(happening, reach, written_);
    }
}

void Pipelines::JudgeHeld(const Footprint& happening, const Reach& reach, const HeldBytes& held) {
    for (const Held& part : held.Parts()) {
        if (part.number < happening.number && Meet(part.touched, reach.ub)) {
            TellEarly(happening, part.AsFootprint(), name_);
        }
    }
}

void Pipelines::Write(uint64_t start, const uint8_t* bytes, size_t count) {
    Footprint footprint = std::exchange(declared_, {});
    ++issued_;
    const uint64_t at = reinterpret_cast<uint64_t>(CurrentCore().ub) + start;
    written_.Add({Access::Write, at, at + count}, bytes, footprint.doer,
                 footprint.touched.Empty() ? kUnjudged : issued_);
    if (written_.Parts().size() > kMostWritten ||
        (schedule_.kind != Schedule::Late && Chance(kAlways / 2))) {
        ShowWritten();
    }
}

void Pipelines::Read(uint64_t start, uint8_t* bytes, size_t count) const {
    written_.ReadInto(bytes, reinterpret_cast<uint64_t>(CurrentCore().ub) + start, count);
}

void Pipelines::ShowWritten() { Show(written_); }

uint64_t Pipelines::Signal(Pipe source) {
    if (source == Pipe::S) {
        ShowWritten();
    }
    Barrier(source);
    return Of(source).Issued();
}

void Pipelines::Await(Pipe waiter, Pipe source, uint64_t place) {
    if (waiter == Pipe::S) {
        RunTo(source, place);
    } else if (Of(source).Done() < place) {
        Put(waiter, {Queued::Wait, source, place, {}});
    }
}

void Pipelines::Barrier(Pipe pipe) {
    if (pipe == Pipe::V) {
        Put(pipe, {Queued::Show, pipe, 0, {}});
    }
}

void Pipelines::Finish(Pipe pipe) { RunTo(pipe, Of(pipe).Issued()); }

void Pipelines::FinishAll() {
    ShowWritten();
    for (const Pipe pipe : order_) {
        Finish(pipe);
    }
    Show(held_);
}

void Pipelines::Drop() { Begin(schedule_, 0); }

// Whatever an entry waits for was issued before it: this comes to an end.
void Pipelines::RunTo(Pipe pipe, uint64_t place) {
    while (Of(pipe).Done() < place) {
        RunHead(pipe);
    }
}

void Pipelines::RunHead(Pipe pipe) {
    PipeQueue& queue = Of(pipe);
    const uint64_t place = queue.Done();
    queue.Leave();
    switch (queue.At(place).kind) {
        case Queued::Instruction:
            return Run(pipe, queue.InstructionAt(place));
        case Queued::Wait:
            return RunTo(queue.At(place).source, queue.At(place).number);
        case Queued::Show:
            return Show(held_);
    }
}

void Pipelines::Run(Pipe pipe, Instruction& instruction) {
    Core& core = CurrentCore();
    const Footprint& footprint = instruction.footprint;
    std::swap(core.registers.deqScale, instruction.deqScale);
    std::swap(core.registers.atomic, instruction.atomic);
    // What V writes again is seen after what it wrote before.
    const bool holds =
        pipe == Pipe::V && (schedule_.kind == Schedule::Late ||
                            held_.WrittenBy(footprint.touched) || Chance(kAlways / 2));
    JudgeRun(footprint, holds);
    shown_.Clear();
    if (holds) {
        Keep(footprint, shown_);
    }
    instruction.effect();
    instruction.effect.Drop();
    if (holds) {
        Keep(footprint, held_);
        shown_.Show();
    }
    std::swap(core.registers.deqScale, instruction.deqScale);
    std::swap(core.registers.atomic, instruction.atomic);
}

bool Pipelines::IsBlocked(Pipe pipe) {
    const Mark& head = Of(pipe).At(Of(pipe).Done());
    return head.kind == Queued::Wait && Of(head.source).Done() < head.number;
}

bool Pipelines::Chance(uint32_t outOf256) {
    if (outOf256 == 0 || outOf256 == kAlways) {
        return outOf256 != 0;
    }
    return NextRandom(random_) % kAlways < outOf256;
}

void Pipelines::Show(HeldBytes& held) {
    shown_.Clear();
    std::swap(held, shown_);
    for (const Held& part : shown_.Parts()) {
        if (part.number != kUnjudged) {
            Judge(part.AsFootprint());
        }
    }
    shown_.Show();
}

// An instruction reads when it runs. It writes then, too, unless its results are held. Those of V
// are seen in the order of its instructions.
void Pipelines::JudgeRun(const Footprint& footprint, bool holds) {
    if (!Looks()) {
        return;
    }
    Judge(holds ? ReadsOf(footprint) : footprint);
}

bool QueuesEffects() { return CurrentCore().pipelines.Queues(); }

void QueueEffect(Pipe pipe, Effect&& effect) {
    CurrentCore().pipelines.Add(pipe, std::move(effect));
}

void QueueVector(uint32_t operands, Effect&& effect, const Doer& doer, bool read) {
    const Operands& declared = CurrentCore().operands;
    const auto ub = reinterpret_cast<uint64_t>(CurrentCore().ub);
    TouchedBytes touched;
    for (size_t index = operands; index < declared.operands.size(); ++index) {
        const bool last = index + 1 == declared.operands.size();
        const size_t end = last ? declared.pieces.size() : declared.operands[index + 1].firstPiece;
        if (declared.operands[index].access == Access::Read && !CurrentCore().pipelines.Looks()) {
            continue;
        }
        for (size_t piece = declared.operands[index].firstPiece; piece < end; ++piece) {
            const Bytes& bytes = declared.pieces[piece];
            touched.push_back({declared.operands[index].access, ub + bytes.start, ub + bytes.end});
        }
    }
    CurrentCore().pipelines.AddVector(std::move(effect), std::move(touched), doer, read);
}

void QueueClobber(Effect&& effect, Bytes written, const Doer& doer) {
    const auto ub = reinterpret_cast<uint64_t>(CurrentCore().ub);
    CurrentCore().pipelines.AddVector(
        std::move(effect), {{Access::Write, ub + written.start, ub + written.end}}, doer, false);
}

void NoteAccess(Access access, const void* start, uint64_t bytes, const Doer& doer) {
    const auto address = reinterpret_cast<uint64_t>(start);
    CurrentCore().pipelines.Declare({access, address, address + bytes}, doer);
}

void NoteScalarAccess(Access access, const void* start, uint64_t bytes, const Doer& doer) {
    const auto address = reinterpret_cast<uint64_t>(start);
    CurrentCore().pipelines.HappensNow({access, address, address + bytes}, doer);
}

void WroteScalar() { CurrentCore().pipelines.HappensNow(); }

void WriteScalar(uint64_t start, const void* value, size_t bytes) {
    CurrentCore().pipelines.Write(start, static_cast<const uint8_t*>(value), bytes);
}

void ReadScalar(uint64_t start, void* value, size_t bytes) {
    CurrentCore().pipelines.Read(start, static_cast<uint8_t*>(value), bytes);
}

void ShowScalar() { CurrentCore().pipelines.ShowWritten(); }

void FinishPipe(Pipe pipe) { CurrentCore().pipelines.Finish(pipe); }

}  // namespace ascendsim
