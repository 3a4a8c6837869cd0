// What a kernel has its cores do, counted: bytes, instructions, barriers, and the longest chain of
// instructions that wait for each other. The counts are of the program: neither the schedule of
// pipes nor the order of blocks changes them. Level `all` only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "clocks.h"

namespace ascendsim {

// How long a chain is: in instructions, a scalar access among them, and in the bytes that they move
// or compute on. The longest chain of each kind may be another one.
struct ChainLength {
    uint64_t instructions = 0;
    uint64_t bytes = 0;
};

inline ChainLength Longer(const ChainLength& one, const ChainLength& other) {
    return {std::max(one.instructions, other.instructions), std::max(one.bytes, other.bytes)};
}

// The work of one block.
//
// In a chain an instruction comes behind the one before it in its pipe, behind what a flag, a
// barrier or SyncAll made its pipe wait for, and behind what the scalar unit did before it was
// issued.
class Work {
public:
    // An instruction of a pipe is issued; of the scalar unit, an access.
    void Issue(Pipe pipe) {
        ++instructions_[Index(pipe)];
        ends_[Index(pipe)] = Signal(pipe);
        ++ends_[Index(pipe)].instructions;
    }
    // Part of the instruction that was issued last in the pipe.
    void MoveGlobal(Pipe pipe, uint64_t bytes) {
        globalBytes_[Index(pipe)] += bytes;
        ends_[Index(pipe)].bytes += bytes;
    }
    // Bytes of UB that it reads and writes.
    void TouchVector(uint64_t bytes) {
        vectorBytes_ += bytes;
        ends_[Index(Pipe::V)].bytes += bytes;
    }

    // A flag is set in `source`: the chain that its waiter comes behind.
    ChainLength Signal(Pipe source) const {
        return Longer(ends_[Index(source)], ends_[Index(Pipe::S)]);
    }
    void Await(Pipe waiter, const ChainLength& chain) {
        ++waits_;
        ends_[Index(waiter)] = Longer(ends_[Index(waiter)], chain);
    }

    void PassBarrier() { ++barriers_; }
    void PassBarrierOfAll() {
        ++barriers_;
        ends_.fill(Chain());
    }
    // SyncAll: all pipes of all blocks come behind the longest chain of any of them.
    void Meet(const ChainLength& chain) {
        ++meetings_;
        ends_.fill(chain);
    }
    ChainLength Chain() const {
        ChainLength longest;
        for (const ChainLength& end : ends_) {
            longest = Longer(longest, end);
        }
        return longest;
    }

    uint64_t GlobalBytes(Pipe pipe) const { return globalBytes_[Index(pipe)]; }
    uint64_t Instructions(Pipe pipe) const { return instructions_[Index(pipe)]; }
    uint64_t VectorBytes() const { return vectorBytes_; }
    uint64_t Barriers() const { return barriers_; }
    uint64_t Waits() const { return waits_; }
    uint64_t Meetings() const { return meetings_; }

private:
    static constexpr uint32_t Index(Pipe pipe) { return static_cast<uint32_t>(pipe); }

    std::array<uint64_t, kPipes> globalBytes_{};
    std::array<uint64_t, kPipes> instructions_{};
    std::array<ChainLength, kPipes> ends_{};  // of the last instruction of each pipe
    uint64_t vectorBytes_ = 0;
    uint64_t barriers_ = 0;
    uint64_t waits_ = 0;
    uint64_t meetings_ = 0;
};

// The running core issues a copy, or another instruction of MTE2 or MTE3.
void CountInstruction(Pipe pipe);

// The running core moves bytes of global memory: part of a copy, or a scalar access.
void CountGlobal(Pipe pipe, uint64_t bytes);

// The counts of a launch: a block of it has ended; all have.
void AddWork(const Work& block);
void EndWork();

}  // namespace ascendsim
