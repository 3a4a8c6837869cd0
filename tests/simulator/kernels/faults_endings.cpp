// The smallest kernels that the processor or their process ends, at the last line that calls the
// interface.
#include <csignal>
#include <cstdlib>
#include <new>
#include <vector>

#include "test_kernel.h"

using namespace AscendC;

namespace {

// What a compiler may not see through.
volatile int64_t farAway = -(int64_t{1} << 38);
volatile uint32_t endless = ~uint32_t{0};
volatile uint64_t everything = uint64_t{1} << 60;

[[gnu::noinline]] uint32_t Deeper(uint32_t levels) {
    volatile uint8_t frame[256];
    frame[0] = static_cast<uint8_t>(levels);
    return levels == 0 ? frame[0] : Deeper(levels - 1) + frame[0];
}

}  // namespace

TEST_MISTAKE(reads_far_before_a_buffer_by_pointer) {
    Global<int32_t>(first).GetValue(0);  // expect: memory-fault
    const auto* values = reinterpret_cast<volatile __gm__ int32_t*>(first);
    static_cast<void>(values[right ? 1 : farAway]);
}

TEST_MISTAKE(writes_through_a_null_pointer) {
    Global<int32_t>(first).GetValue(0);  // expect: memory-fault
    volatile int32_t on_the_stack = 0;
    volatile int32_t* values =
        right ? &on_the_stack : reinterpret_cast<int32_t*>(farAway - farAway);
    values[0] = 1;
}

TEST_MISTAKE(recurses_without_end) {
    Global<int32_t>(first).GetValue(0);  // expect: kernel-crash
    Deeper(right ? 3 : endless);
}

TEST_MISTAKE(aborts) {
    Global<int32_t>(first).GetValue(0);  // expect: kernel-crash
    if constexpr (!right) {
        std::abort();
    }
}

TEST_MISTAKE(asks_for_all_memory) {
    Global<int32_t>(first).GetValue(0);  // expect: memory-exhausted
    std::vector<uint8_t> held(right ? 1 : everything / 2);
    Global<int32_t>(first).GetValue(held[0]);
}

// Stands for a loop without end whose process is told that its time is up.
TEST_KERNEL(outlives_its_time) {
    Global<int32_t>(first).GetValue(0);
    std::raise(SIGXCPU);
}

TEST_KERNEL(outgrows_its_memory) {
    Global<int32_t>(first).GetValue(0);
    std::raise(SIGUSR1);
}
