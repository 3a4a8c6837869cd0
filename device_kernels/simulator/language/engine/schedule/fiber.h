// A fiber: a function on its own stack, which can be left and entered again.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "fiber_stacks.h"

namespace ascendsim {

// Runs one body at a time and is used again for the next: its stack is mapped once.
class Fiber {
public:
    Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Runs `body(argument)` on the fiber's stack until it returns or calls Leave. No exception may
    // leave `body`.
    void Run(void (*body)(void* argument), void* argument);

    // Goes on after the Leave of a body that has not returned.
    void Resume();

    // From inside the body: back to whoever called Run or Resume.
    void Leave();

    // From inside a signal's handler on the fiber: back to whoever called Run or Resume, for good.
    // Nothing on the stack is destroyed.
    [[noreturn]] void Abandon();

    bool Finished() const { return finished_; }

    // Whether an address lies where a full stack grows to.
    bool BelowStack(uint64_t address) const;

    // The fiber on whose stack this thread runs; null: on its own.
    static Fiber* Running();

    static constexpr uint64_t kStackBytes = 1024 * 1024;

private:
    void Enter();
    static void Begin(unsigned low, unsigned high);

    ucontext_t caller_{};
    ucontext_t context_{};
    uint8_t* stack_;
    FiberStacks stacks_;
    void (*body_)(void*) = nullptr;
    void* argument_ = nullptr;
    bool finished_ = true;
};

}  // namespace ascendsim
