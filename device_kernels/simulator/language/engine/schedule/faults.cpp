#include "faults.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>

#include "../memory/global_memory.h"
#include "core.h"
#include "fiber.h"

namespace ascendsim {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr size_t kHandlerStack = 64 * 1024;  // a fault may be that the fiber's own stack is full
constexpr uint64_t kFirstPage = 4096;
constexpr uint64_t kNearUb = 64 * 1024;

// Launches run one at a time: what was there before the running one.
std::array<struct sigaction, kSignals.size()> before;
stack_t stackBefore;
thread_local Fault taken;

alignas(16) std::byte handlerStack[kHandlerStack];

// Whether the processor sent the signal, or this process to itself; not somebody else.
bool IsOwn(int signal, const siginfo_t& info) {
    return info.si_code > 0 || (signal == SIGABRT && info.si_pid == getpid());
}

void HandOver(int signal, const siginfo_t& info) {
    for (size_t index = 0; index < kSignals.size(); ++index) {
        if (kSignals[index] == signal) {
            sigaction(signal, &before[index], nullptr);
        }
    }
    // An instruction that faulted faults again on return; a signal that was sent does not.
    if (info.si_code <= 0) {
        raise(signal);
    }
}

void OnFault(int signal, siginfo_t* info, void* /*context*/) {
    Fiber* fiber = Fiber::Running();
    if (fiber == nullptr || !IsOwn(signal, *info)) {
        HandOver(signal, *info);
        return;
    }
    // The kernel of the host does not say where an address is that no memory can have.
    taken = {signal, info->si_code != SI_KERNEL, reinterpret_cast<uint64_t>(info->si_addr)};
    fiber->Abandon();
}

const char* Deed(int signal) {
    switch (signal) {
        case SIGFPE:
            return "divides by zero";
        case SIGABRT:
            return "calls abort, or throws where nothing may be thrown";
        default:
            return "reaches an instruction that traps";
    }
}

std::string Place(const Core& core, const Fault& fault) {
    if (!fault.located) {
        return "an address that no memory has";
    }
    if (fault.address < kFirstPage) {
        return "a null pointer";
    }
    const auto ub = reinterpret_cast<uint64_t>(core.ub);
    if (fault.address + kNearUb >= ub &&
        fault.address < ub + core.machine.physicalUbBytes + kNearUb * 2) {
        return "UB address " + std::to_string(static_cast<int64_t>(fault.address - ub));
    }
    return NearestRegion(fault.address);
}

std::string LastCallOf(const Core& core) {
    if (core.last.where.line() == 0) {
        return "before its first call";
    }
    return std::string("after ") + core.last.operation + " in line " +
           std::to_string(core.last.where.line());
}

}  // namespace

FaultWatch::FaultWatch() {
    stack_t stack{};
    stack.ss_sp = handlerStack;
    stack.ss_size = sizeof handlerStack;
    sigaltstack(&stack, &stackBefore);
    struct sigaction action{};
    action.sa_sigaction = &OnFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < kSignals.size(); ++index) {
        sigaction(kSignals[index], &action, &before[index]);
    }
}

FaultWatch::~FaultWatch() {
    for (size_t index = 0; index < kSignals.size(); ++index) {
        sigaction(kSignals[index], &before[index], nullptr);
    }
    sigaltstack(&stackBefore, nullptr);
}

Fault TakeFault() {
    const Fault fault = taken;
    taken = {};
    return fault;
}

void RecordFault(const Fault& fault, const Fiber& fiber) {
    const Core& core = CurrentCore();
    const Spot spot{core.last.where, "S", fault.address};
    const std::string after = LastCallOf(core);
    try {
        if (fault.signal != SIGSEGV && fault.signal != SIGBUS) {
            Stop(Code::KernelCrash, spot, "the kernel %s, %s", Deed(fault.signal), after.c_str());
        }
        if (fiber.BelowStack(fault.address)) {
            Stop(Code::KernelCrash, spot,
                 "the kernel's stack of %llu bytes is full, as by a recursion without end, %s",
                 static_cast<unsigned long long>(Fiber::kStackBytes), after.c_str());
        }
        Stop(Code::MemoryFault, spot, "the kernel touches %s, where there is no memory, %s",
             Place(core, fault).c_str(), after.c_str());
    } catch (const KernelStopped&) {
        return;  // recorded
    }
}

}  // namespace ascendsim
