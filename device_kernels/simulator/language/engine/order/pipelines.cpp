#include "pipelines.h"

#include <algorithm>
#include <iterator>

#include "../schedule/core.h"
#include "../schedule/random.h"

namespace ascendsim {
namespace {

constexpr uint32_t kAlways = 256;
constexpr size_t kMostQueued = 4096;  // of one pipe: beyond that its oldest entry runs

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

}  // namespace

void Pipelines::Begin(const PipeSchedule& schedule, uint32_t block) {
    schedule_ = schedule;
    name_ = schedule.kind == Schedule::Random ? "random:" + std::to_string(schedule.seed) : "late";
    issued_ = 0;
    looks_ = 0;
    declared_ = {};
    for (Queue& queue : queues_) {
        queue.entries.clear();
        queue.done = 0;
    }
    held_.clear();
    written_.clear();
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

void Pipelines::Add(Pipe pipe, Effect effect) {
    Enqueue(pipe, std::move(effect), std::exchange(declared_, {}));
}

void Pipelines::AddVector(Effect effect, std::vector<Touched> touched, const Doer& doer,
                          bool read) {
    Footprint footprint{doer, issued_ + 1, std::move(touched)};
    if (read && Looks()) {
        Footprint reads = footprint;
        std::erase_if(reads.touched, [](const Touched& one) { return one.access != Access::Read; });
        Judge(reads);
    }
    Enqueue(Pipe::V, std::move(effect), std::move(footprint));
}

void Pipelines::Enqueue(Pipe pipe, Effect effect, Footprint footprint) {
    const Registers& registers = CurrentCore().registers;
    footprint.number = ++issued_;
    Entry entry{Kind::Run, std::move(effect), std::move(footprint)};
    entry.deqScale = registers.deqScale;
    entry.atomic = registers.atomic;
    Put(pipe, std::move(entry));
    for (size_t rank = 0; rank < order_.size(); ++rank) {
        const Pipe next = order_[rank];
        while (!Of(next).entries.empty() && !IsBlocked(next) && Chance(ahead_[rank])) {
            RunHead(next);
        }
    }
}

void Pipelines::Put(Pipe pipe, Entry entry) {
    Of(pipe).entries.push_back(std::move(entry));
    if (Of(pipe).entries.size() > kMostQueued) {
        RunTo(pipe, Of(pipe).done + 1);
    }
}

// What has been issued before and waits, or waits to be seen, is late if `happening` needs it.
void Pipelines::Judge(const Footprint& happening) {
    for (const Queue& queue : queues_) {
        for (const Entry& entry : queue.entries) {
            if (entry.kind != Kind::Run) {
                continue;
            }
            ++looks_;
            if (!Looks() || entry.footprint.number >= happening.number ||
                TellEarly(happening, entry.footprint, name_)) {
                break;
            }
        }
    }
    // The scalar unit reads back what it has written.
    const bool ownSeen = PipeOf(happening.doer.pipe) == Pipe::S;
    for (const std::vector<Held>* kept : {&held_, &written_}) {
        if (kept == &written_ && ownSeen) {
            continue;
        }
        for (const Held& part : *kept) {
            if (part.footprint.number < happening.number) {
                TellEarly(happening, part.footprint, name_);
            }
        }
    }
}

void Pipelines::Write(uint64_t start, const uint8_t* bytes, size_t count) {
    Footprint footprint = std::exchange(declared_, {});
    footprint.number = ++issued_;
    written_.push_back({start, std::vector<uint8_t>(bytes, bytes + count), std::move(footprint)});
    if (written_.size() > kMostWritten ||
        (schedule_.kind != Schedule::Late && Chance(kAlways / 2))) {
        ShowWritten();
    }
}

void Pipelines::Read(uint64_t start, uint8_t* bytes, size_t count) const {
    for (const Held& part : written_) {
        for (uint64_t at = std::max(start, part.start);
             at < std::min(start + count, part.start + part.bytes.size()); ++at) {
            bytes[at - start] = part.bytes[at - part.start];
        }
    }
}

void Pipelines::ShowWritten() {
    const std::vector<Held> shown = std::exchange(written_, {});
    for (const Held& part : shown) {
        Judge(part.footprint);
    }
    Show(shown);
}

uint64_t Pipelines::Signal(Pipe source) {
    if (source == Pipe::S) {
        ShowWritten();
    }
    Barrier(source);
    return Issued(source);
}

void Pipelines::Await(Pipe waiter, Pipe source, uint64_t place) {
    if (waiter == Pipe::S) {
        RunTo(source, place);
    } else if (Of(source).done < place) {
        Entry entry{Kind::Wait, {}, {}};
        entry.source = source;
        entry.place = place;
        Put(waiter, std::move(entry));
    }
}

void Pipelines::Barrier(Pipe pipe) {
    if (pipe == Pipe::V) {
        Put(pipe, {Kind::Show, {}, {}});
    }
}

void Pipelines::Finish(Pipe pipe) { RunTo(pipe, Issued(pipe)); }

void Pipelines::FinishAll() {
    ShowWritten();
    for (const Pipe pipe : order_) {
        Finish(pipe);
    }
    ShowHeld();
}

void Pipelines::Drop() { Begin(schedule_, 0); }

// Whatever an entry waits for was issued before it: this comes to an end.
void Pipelines::RunTo(Pipe pipe, uint64_t place) {
    while (Of(pipe).done < place) {
        RunHead(pipe);
    }
}

void Pipelines::RunHead(Pipe pipe) {
    Queue& queue = Of(pipe);
    Entry entry = std::move(queue.entries.front());
    queue.entries.pop_front();
    ++queue.done;
    switch (entry.kind) {
        case Kind::Run:
            return Run(pipe, entry);
        case Kind::Wait:
            return RunTo(entry.source, entry.place);
        case Kind::Show:
            return ShowHeld();
    }
}

void Pipelines::Run(Pipe pipe, Entry& entry) {
    Core& core = CurrentCore();
    std::swap(core.registers.deqScale, entry.deqScale);
    std::swap(core.registers.atomic, entry.atomic);
    // What V writes again is seen after what it wrote before.
    const bool holds = pipe == Pipe::V && (schedule_.kind == Schedule::Late ||
                                           MeetsHeld(entry.footprint) || Chance(kAlways / 2));
    JudgeRun(entry.footprint, holds);
    std::vector<Held> before;
    if (holds) {
        Keep(entry.footprint, before);
    }
    entry.effect();
    if (holds) {
        Keep(entry.footprint, held_);
        Show(before);
    }
    std::swap(core.registers.deqScale, entry.deqScale);
    std::swap(core.registers.atomic, entry.atomic);
}

bool Pipelines::IsBlocked(Pipe pipe) {
    const Entry& head = Of(pipe).entries.front();
    return head.kind == Kind::Wait && Of(head.source).done < head.place;
}

bool Pipelines::Chance(uint32_t outOf256) {
    if (outOf256 == 0 || outOf256 == kAlways) {
        return outOf256 != 0;
    }
    return NextRandom(random_) % kAlways < outOf256;
}

void Pipelines::ShowHeld() {
    const std::vector<Held> shown = std::exchange(held_, {});
    for (const Held& part : shown) {
        Judge(part.footprint);
    }
    Show(shown);
}

bool Pipelines::MeetsHeld(const Footprint& footprint) const {
    return std::any_of(footprint.touched.begin(), footprint.touched.end(), [&](const Touched& one) {
        return one.access == Access::Write &&
               std::any_of(held_.begin(), held_.end(), [&](const Held& part) {
                   const Touched& other = part.footprint.touched.front();
                   return one.start < other.end && other.start < one.end;
               });
    });
}

// An instruction reads when it runs. It writes then, too, unless its results are held. Those of V
// are seen in the order of its instructions.
void Pipelines::JudgeRun(const Footprint& footprint, bool holds) {
    if (!Looks()) {
        return;
    }
    Footprint happening{footprint.doer, footprint.number, {}};
    for (const Touched& one : footprint.touched) {
        if (one.access == Access::Read || !holds) {
            happening.touched.push_back(one);
        }
    }
    Judge(happening);
}

void Pipelines::Keep(const Footprint& footprint, std::vector<Held>& kept) {
    const auto ub = reinterpret_cast<uint64_t>(CurrentCore().ub);
    for (const Touched& one : footprint.touched) {
        if (one.access == Access::Write) {
            const auto* bytes = reinterpret_cast<const uint8_t*>(one.start);
            kept.push_back({one.start - ub,
                            std::vector<uint8_t>(bytes, bytes + one.end - one.start),
                            {footprint.doer, footprint.number, {one}}});
        }
    }
}

void Pipelines::Show(const std::vector<Held>& kept) {
    for (const Held& part : kept) {
        std::copy(part.bytes.begin(), part.bytes.end(), CurrentCore().ub + part.start);
    }
}

bool QueuesEffects() { return CurrentCore().pipelines.Queues(); }

void QueueEffect(Pipe pipe, Effect effect) { CurrentCore().pipelines.Add(pipe, std::move(effect)); }

void QueueVector(uint32_t operands, Effect effect, const Doer& doer, bool read) {
    const Operands& declared = CurrentCore().operands;
    const auto ub = reinterpret_cast<uint64_t>(CurrentCore().ub);
    std::vector<Touched> touched;
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

void QueueClobber(Effect effect, Bytes written, const Doer& doer) {
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
