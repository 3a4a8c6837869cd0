#include "fiber.h"

#include "mapping.h"

namespace ascendsim {
namespace {

constexpr uint64_t kStackBytes = 1024 * 1024;

}  // namespace

Fiber::Fiber() : stack_(MapGuarded(kStackBytes)) {}

// makecontext passes ints only, so the pointer travels in two halves.
void Fiber::Enter(unsigned low, unsigned high) {
    const auto address = static_cast<uintptr_t>((static_cast<uint64_t>(high) << 32) | low);
    auto* self = reinterpret_cast<Fiber*>(address);
    self->body_(self->argument_);
    self->finished_ = true;
}

void Fiber::Run(void (*body)(void* argument), void* argument) {
    body_ = body;
    argument_ = argument;
    finished_ = false;
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = kStackBytes;
    context_.uc_link = &caller_;
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(this));
    makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2,
                static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
    swapcontext(&caller_, &context_);
}

void Fiber::Resume() { swapcontext(&caller_, &context_); }

void Fiber::Leave() { swapcontext(&context_, &caller_); }

}  // namespace ascendsim
