// A fiber: a function on its own stack, which can be left and entered again.
#pragma once

#include <ucontext.h>

#include <cstdint>

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

    bool Finished() const { return finished_; }

private:
    static void Enter(unsigned low, unsigned high);

    ucontext_t caller_{};
    ucontext_t context_{};
    uint8_t* stack_;
    void (*body_)(void*) = nullptr;
    void* argument_ = nullptr;
    bool finished_ = true;
};

}  // namespace ascendsim
