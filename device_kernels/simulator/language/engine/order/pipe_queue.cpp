#include "pipe_queue.h"

#include <algorithm>
#include <utility>

namespace ascendsim {
namespace {

constexpr size_t kFirst = 16;

}  // namespace

Instruction& PipeQueue::Put(const Mark& mark) {
    if (Waiting() == marks_.size()) {
        Grow();
    }
    const uint64_t slot = Slot(issued_++);
    marks_[slot] = mark;
    return instructions_[slot];
}

void PipeQueue::Grow() {
    std::vector<Mark> marks(std::max(2 * marks_.size(), kFirst));
    std::vector<Instruction> instructions(marks.size());
    for (uint64_t place = done_; place < issued_; ++place) {
        const uint64_t slot = place & (marks.size() - 1);
        marks[slot] = At(place);
        instructions[slot] = std::move(InstructionAt(place));
    }
    marks_ = std::move(marks);
    instructions_ = std::move(instructions);
}

void PipeQueue::Clear() {
    for (uint64_t place = done_; place < issued_; ++place) {
        InstructionAt(place).effect.Drop();
    }
    done_ = issued_ = 0;
}

}  // namespace ascendsim
