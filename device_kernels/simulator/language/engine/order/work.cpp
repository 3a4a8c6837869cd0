#include "work.h"

#include <mutex>

#include "../schedule/core.h"
#include "../schedule/launch.h"

namespace ascendsim {
namespace {

// In the order in which ascendsimWork tells them.
enum Count : uint32_t {
    kBlocks,
    kScalarBytes,
    kMte2Bytes,
    kMte3Bytes,
    kVectorBytes,
    kScalarAccesses,
    kMte2Instructions,
    kMte3Instructions,
    kVectorInstructions,
    kBarriers,
    kWaits,
    kMeetings,
    kMostScalarBytes,  // of the block that has most
    kMostMte2Bytes,
    kMostMte3Bytes,
    kMostVectorBytes,
    kChain,  // the longest one, in instructions
    kChainBytes,
    kCounts
};
constexpr uint32_t kFirstOfMost = kMostScalarBytes;

using Counts = std::array<uint64_t, kCounts>;

Counts launch{};  // of the launch that runs: there is one at a time
std::mutex totalMutex;
Counts total{};  // of all launches that have ended

}  // namespace

void CountInstruction(Pipe pipe) { CurrentCore().work.Issue(pipe); }

void CountGlobal(Pipe pipe, uint64_t bytes) {
    Work& work = CurrentCore().work;
    if (pipe == Pipe::S) {
        work.Issue(pipe);
    }
    work.MoveGlobal(pipe, bytes);
}

void AddWork(const Work& block) {
    Counts one{};
    one[kBlocks] = 1;
    one[kScalarBytes] = one[kMostScalarBytes] = block.GlobalBytes(Pipe::S);
    one[kMte2Bytes] = one[kMostMte2Bytes] = block.GlobalBytes(Pipe::MTE2);
    one[kMte3Bytes] = one[kMostMte3Bytes] = block.GlobalBytes(Pipe::MTE3);
    one[kVectorBytes] = one[kMostVectorBytes] = block.VectorBytes();
    one[kScalarAccesses] = block.Instructions(Pipe::S);
    one[kMte2Instructions] = block.Instructions(Pipe::MTE2);
    one[kMte3Instructions] = block.Instructions(Pipe::MTE3);
    one[kVectorInstructions] = block.Instructions(Pipe::V);
    one[kBarriers] = block.Barriers();
    one[kWaits] = block.Waits();
    one[kMeetings] = block.Meetings();
    one[kChain] = block.Chain().instructions;
    one[kChainBytes] = block.Chain().bytes;
    for (uint32_t count = 0; count < kCounts; ++count) {
        launch[count] =
            count < kFirstOfMost ? launch[count] + one[count] : std::max(launch[count], one[count]);
    }
}

// Launches of a stream run one after the other: their chains add up.
void EndWork() {
    const std::lock_guard lock(totalMutex);
    for (uint32_t count = 0; count < kCounts; ++count) {
        total[count] += launch[count];
    }
    launch = {};
}

}  // namespace ascendsim

extern "C" uint32_t ascendsimWork(uint64_t* counts, uint32_t count) {
    using namespace ascendsim;
    if constexpr (!kChecks) {
        return 0;
    }
    const std::lock_guard lock(totalMutex);
    std::copy_n(total.begin(), std::min<uint32_t>(count, kCounts), counts);
    return kCounts;
}
