#include "fiber.h"

#include <cstdlib>

#include "../memory/mapping.h"

namespace ascendsim {
namespace {

thread_local Fiber* runningFiber = nullptr;

}  // namespace

Fiber::Fiber() : stack_(MapGuarded(kStackBytes)) {}

// makecontext passes ints only, so the pointer travels in two halves.
void Fiber::Begin(unsigned low, unsigned high) {
    const auto address = static_cast<uintptr_t>((static_cast<uint64_t>(high) << 32) | low);
    auto* self = reinterpret_cast<Fiber*>(address);
    self->stacks_.EnterFiber();
    self->body_(self->argument_);
    self->finished_ = true;
    self->stacks_.EndFiber();
}

void Fiber::Run(void (*body)(void* argument), void* argument) {
    body_ = body;
    argument_ = argument;
    finished_ = false;
    stacks_ = {};
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = kStackBytes;
    context_.uc_link = &caller_;
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(this));
    makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::Begin), 2,
                static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
    Enter();
}

void Fiber::Resume() { Enter(); }

void Fiber::Enter() {
    runningFiber = this;
    stacks_.LeaveCaller(stack_, kStackBytes);
    swapcontext(&caller_, &context_);
    stacks_.EnterCaller();
    runningFiber = nullptr;
}

void Fiber::Leave() {
    stacks_.LeaveFiber();
    swapcontext(&context_, &caller_);
    stacks_.EnterFiber();
}

void Fiber::Abandon() {
    finished_ = true;
    stacks_.EndFiber();
    setcontext(&caller_);
    std::abort();  // setcontext comes back only where it fails
}

bool Fiber::BelowStack(uint64_t address) const {
    const auto start = reinterpret_cast<uint64_t>(stack_);
    return address < start && address + kGuardBytes >= start;
}

Fiber* Fiber::Running() { return runningFiber; }

}  // namespace ascendsim
