// A kernel of one line for the tests of runtime and build. It uses no Ascend C, so that they do not
// depend on the language model; the entry has the form that the build looks for.

#include <cstdint>
#include <stdexcept>
#include <string>

#define __global__
#define __aicore__
#define GM_ADDR uint8_t*

// extern "C" __global__ __aicore__ void a_comment_is_no_entry(GM_ADDR bytes)

extern "C" __global__ __aicore__ void increment(GM_ADDR input, GM_ADDR output, GM_ADDR count) {
    const uint64_t bytes = *reinterpret_cast<const uint64_t*>(count);
    if (bytes > 64) {
        throw std::runtime_error("more than 64 bytes: " + std::to_string(bytes));
    }
    for (uint64_t at = 0; at < bytes; ++at) {
        output[at] = static_cast<uint8_t>(input[at] + 1);
    }
}
