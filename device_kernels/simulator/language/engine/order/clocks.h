// Which instructions of a core are known to be complete: one vector clock per pipe.
//
// The scalar unit issues instructions to the pipes in program order and does not wait for them. The
// instructions of a pipe carry its current epoch; a flag, a barrier or a queue tells another pipe
// (or the same one) that all instructions up to an epoch are complete. Whatever is not told so may
// still be running.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace ascendsim {

enum class Pipe : uint8_t { S, V, MTE2, MTE3 };
inline constexpr uint32_t kPipes = 4;

inline constexpr const char* kPipeNames[kPipes] = {"S", "V", "MTE2", "MTE3"};

// The pipe of a name as calls carry it: "S", "V", "MTE2", "MTE3".
constexpr Pipe PipeOf(const char* name) {
    if (name[0] == 'M') {
        return name[3] == '2' ? Pipe::MTE2 : Pipe::MTE3;
    }
    return name[0] == 'V' ? Pipe::V : Pipe::S;
}

// Per pipe, the last epoch whose instructions are all complete; 0: none.
using Clock = std::array<uint32_t, kPipes>;

class Clocks {
public:
    uint32_t Epoch(Pipe pipe) const { return epochs_[Index(pipe)]; }

    // Whether the next instruction of `pipe` begins after those of `other` up to `epoch` are
    // complete. Only the scalar unit finishes each of its own before the next.
    bool Ordered(Pipe pipe, Pipe other, uint32_t epoch) const {
        return epoch <= known_[Index(pipe)][Index(other)] || (pipe == other && pipe == Pipe::S);
    }

    // SetFlag in `source`: what the flag tells the pipe that waits for it.
    Clock Release(Pipe source) {
        Clock told = known_[Index(source)];
        told[Index(source)] = epochs_[Index(source)]++;
        return told;
    }

    // WaitFlag in `waiter`. While the scalar unit waits it issues nothing, so that every later
    // instruction of every pipe knows what it waited for.
    void Acquire(Pipe waiter, const Clock& told) {
        if (waiter == Pipe::S) {
            for (Clock& clock : known_) {
                Join(clock, told);
            }
        } else {
            Join(known_[Index(waiter)], told);
        }
    }

    // PipeBarrier of one pipe: its later instructions wait for its earlier ones.
    void Barrier(Pipe pipe) { Acquire(pipe, Release(pipe)); }

    // PipeBarrier<PIPE_ALL>.
    void BarrierAll() {
        Clock all{};
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            all[pipe] = epochs_[pipe]++;
        }
        known_.fill(all);
    }

private:
    static constexpr uint32_t Index(Pipe pipe) { return static_cast<uint32_t>(pipe); }
    static void Join(Clock& clock, const Clock& told) {
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            clock[pipe] = std::max(clock[pipe], told[pipe]);
        }
    }

    Clock epochs_ = {1, 1, 1, 1};
    std::array<Clock, kPipes> known_{};
};

}  // namespace ascendsim
