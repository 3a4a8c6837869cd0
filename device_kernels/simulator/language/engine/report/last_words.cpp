// ascendsimLastWords: where a kernel is when its process is about to be ended from outside.
#include <signal.h>

#include <atomic>
#include <cstdio>

#include "../order/hold.h"
#include "../schedule/core.h"
#include "../schedule/launch.h"
#include "diagnostics.h"

namespace ascendsim {
namespace {

char* memory = nullptr;
uint64_t capacity = 0;

// In the handler of a signal: no lock, no allocation. The first byte is written last.
void Say(int signal) {
    const Core* core = CoreOfProcess();
    uint64_t length = 1;
    memory[1] = '\0';
    if (core != nullptr) {
        const Code code = signal == SIGXCPU ? Code::KernelEndless : Code::MemoryExhausted;
        const char* what = signal == SIGXCPU
                               ? "the kernel has not ended in its time"
                               : "the process has no memory left while the kernel runs";
        length += DescribeEnding(code, what, *core, memory + 1, capacity - 3);
    }
    memory[length] = ']';
    memory[length + 1] = '\0';
    std::atomic_signal_fence(std::memory_order_seq_cst);
    memory[0] = '[';
}

}  // namespace
}  // namespace ascendsim

extern "C" int ascendsimLastWords(char* words, uint64_t bytes) {
    using namespace ascendsim;
    if (IsHeld(__func__) || words == nullptr || bytes < kFewestLastWords) {
        return kStatusInvalidParameter;
    }
    memory = words;
    capacity = bytes;
    struct sigaction action{};
    action.sa_handler = &Say;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXCPU, &action, nullptr);
    sigaction(SIGUSR1, &action, nullptr);
    return kStatusOk;
}
