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
    schedule_ = schedule.kind;
    for (Queue& queue : queues_) {
        queue.entries.clear();
        queue.done = 0;
    }
    held_.clear();
    written_.clear();
    if (schedule_ == Schedule::Random) {
        const uint64_t number = schedule.seed + block;
        random_ = number;
        order_ = kOrders[number % std::size(kOrders)];
        ahead_ = kChances[number / std::size(kOrders) % std::size(kChances)];
    } else {
        order_ = kOrders[0];
        ahead_ = {};
    }
}

void Pipelines::Add(Pipe pipe, Effect effect, std::vector<Bytes> written) {
    const Registers& registers = CurrentCore().registers;
    Entry entry{Kind::Run, std::move(effect), std::move(written)};
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

void Pipelines::Write(uint64_t start, const uint8_t* bytes, size_t count) {
    written_.push_back({start, std::vector<uint8_t>(bytes, bytes + count)});
    if (written_.size() > kMostWritten || (schedule_ != Schedule::Late && Chance(kAlways / 2))) {
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
    Show(written_);
    written_.clear();
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

void Pipelines::Drop() { Begin({schedule_, 0}, 0); }

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
    const bool holds = pipe == Pipe::V && (schedule_ == Schedule::Late || Chance(kAlways / 2));
    std::vector<Held> before;
    if (holds) {
        Keep(entry.written, before);
    }
    entry.effect();
    if (holds) {
        Keep(entry.written, held_);
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
    Show(held_);
    held_.clear();
}

void Pipelines::Keep(const std::vector<Bytes>& places, std::vector<Held>& kept) {
    const uint8_t* ub = CurrentCore().ub;
    for (const Bytes& place : places) {
        kept.push_back({place.start, std::vector<uint8_t>(ub + place.start, ub + place.end)});
    }
}

void Pipelines::Show(const std::vector<Held>& kept) {
    for (const Held& part : kept) {
        std::copy(part.bytes.begin(), part.bytes.end(), CurrentCore().ub + part.start);
    }
}

bool QueuesEffects() { return CurrentCore().pipelines.Queues(); }

void QueueEffect(Pipe pipe, Effect effect, std::vector<Bytes> written) {
    CurrentCore().pipelines.Add(pipe, std::move(effect), std::move(written));
}

void QueueVector(uint32_t operands, Effect effect) {
    const Operands& declared = CurrentCore().operands;
    std::vector<Bytes> written;
    for (size_t index = operands; index < declared.operands.size(); ++index) {
        const bool last = index + 1 == declared.operands.size();
        const size_t end = last ? declared.pieces.size() : declared.operands[index + 1].firstPiece;
        for (size_t piece = declared.operands[index].firstPiece;
             piece < end && declared.operands[index].access == Access::Write; ++piece) {
            written.push_back(declared.pieces[piece]);
        }
    }
    QueueEffect(Pipe::V, std::move(effect), std::move(written));
}

void WriteScalar(uint64_t start, const void* value, size_t bytes) {
    CurrentCore().pipelines.Write(start, static_cast<const uint8_t*>(value), bytes);
}

void ReadScalar(uint64_t start, void* value, size_t bytes) {
    CurrentCore().pipelines.Read(start, static_cast<uint8_t*>(value), bytes);
}

void ShowScalar() { CurrentCore().pipelines.ShowWritten(); }

void FinishPipe(Pipe pipe) { CurrentCore().pipelines.Finish(pipe); }

}  // namespace ascendsim
